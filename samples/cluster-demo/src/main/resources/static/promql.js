// The part of Prometheus' query language that the dashboard uses: sum and max "by" labels, rate, increase and
// histogram_quantile of instances' metrics. Any other query throws an error. Unlike in Prometheus, rates and increases
// are not extrapolated to the borders of their window.

const TOKEN = /\s*([A-Za-z_:][\w:]*|"(?:[^"\\]|\\.)*"|[=!]~|!=|\d+(?:\.\d+)?[smhd]?|[{}()[\],=])/y;
const SECONDS = { s: 1, m: 60, h: 3600, d: 86400 };

/**
 * The metrics of instances, with their history.
 */
export class Samples {

	constructor(kept) {
		this.kept = kept; // seconds
		this.metrics = new Map();
	}

	/**
	 * Add an instance's metrics in Prometheus' text format.
	 */
	read(text, instance, at) {
		for (const line of text.split('\n')) {
			const [, name, inner, value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
			if (name) {
				this.add(name, `${inner ?? ''},instance="${instance}"`, at, Number(value.replace('Inf', 'Infinity')));
			}
		}
	}

	add(name, key, at, value) {
		const series = this.metrics.get(name) ?? new Map();
		this.metrics.set(name, series);
		const one = series.get(key) ?? { labels: labels(key), points: [] };
		series.set(key, one);
		one.points.push({ at, value });
		while (one.points[0].at < at - this.kept) {
			one.points.shift();
		}
	}

	find(name, matches) {
		return [...this.metrics.get(name)?.values() ?? []].filter(({ labels: those }) => matches.every((match) => match(those)));
	}

}

/**
 * Return a function of samples and a time, in seconds, that returns a list of { labels, value }.
 */
export function compile(query) {
	const tokens = split(query);
	const expression = parse(tokens);
	if (tokens.length) {
		throw new Error(`Not understood at ${tokens[0]}: ${query}`);
	}
	return expression;
}

function split(query) {
	const tokens = [];
	TOKEN.lastIndex = 0;
	while (TOKEN.lastIndex < query.trimEnd().length) {
		const from = TOKEN.lastIndex;
		const [, token] = TOKEN.exec(query) ?? [];
		if (!token) {
			throw new Error(`Not understood at ${query.slice(from)}: ${query}`);
		}
		tokens.push(token);
	}
	return tokens;
}

function parse(tokens) {
	const name = tokens.shift();
	if (AGGREGATIONS[name]) {
		return aggregation(AGGREGATIONS[name], tokens);
	}
	if (name === 'rate' || name === 'increase') {
		const [series, window] = inParentheses(tokens, () => [selector(tokens.shift(), tokens), range(tokens)]);
		return (samples, at) => changes(series(samples), at, window, name === 'rate');
	}
	if (name === 'histogram_quantile') {
		const [quantile, buckets] = inParentheses(tokens, () => {
			const number = Number(tokens.shift());
			take(tokens, ',');
			return [number, parse(tokens)];
		});
		return (samples, at) => quantiles(quantile, buckets(samples, at));
	}
	const series = selector(name, tokens);
	return (samples, at) => series(samples)
		.map((one) => ({ labels: one.labels, ...one.points[one.points.length - 1] }))
		// Like Prometheus, drop a series at once when its instance no longer reports it.
		.filter((point) => point.at === at);
}

const AGGREGATIONS = {
	sum: (values) => values.reduce((sum, value) => sum + value, 0),
	max: (values) => Math.max(...values)
};

function aggregation(join, tokens) {
	const by = tokens[0] === 'by' ? tokens.shift() && inParentheses(tokens, () => list(tokens)) : [];
	const inner = inParentheses(tokens, () => parse(tokens));
	return (samples, at) => groups(inner(samples, at), by).map(({ labels: those, members }) =>
		({ labels: those, value: join(members.map(({ value }) => value)) }));
}

function selector(name, tokens) {
	const matches = [];
	if (tokens[0] === '{') {
		take(tokens, '{');
		while (tokens[0] !== '}') {
			matches.push(matcher(tokens.shift(), tokens.shift(), JSON.parse(tokens.shift())));
			if (tokens[0] !== '}') {
				take(tokens, ',');
			}
		}
		take(tokens, '}');
	}
	return (samples) => samples.find(name, matches);
}

function matcher(label, operator, wanted) {
	const pattern = new RegExp(`^(?:${wanted})$`);
	const test = {
		'=': (value) => value === wanted,
		'!=': (value) => value !== wanted,
		'=~': (value) => pattern.test(value),
		'!~': (value) => !pattern.test(value)
	}[operator];
	return (those) => test(those[label] ?? '');
}

function range(tokens) {
	take(tokens, '[');
	const [, number, unit] = /^(.*)([smhd])$/.exec(tokens.shift());
	take(tokens, ']');
	return number * SECONDS[unit];
}

function list(tokens) {
	const names = [];
	while (tokens[0] !== ')') {
		names.push(tokens.shift());
		if (tokens[0] === ',') {
			tokens.shift();
		}
	}
	return names;
}

function inParentheses(tokens, parts) {
	take(tokens, '(');
	const found = parts();
	take(tokens, ')');
	return found;
}

function take(tokens, wanted) {
	const token = tokens.shift();
	if (token !== wanted) {
		throw new Error(`${wanted} wanted instead of ${token}`);
	}
}

// If a counter is smaller than before, its instance has restarted, and the counter has started again at zero.
function changes(series, at, window, perSecond) {
	return series.flatMap(({ labels: those, points }) => {
		const within = points.filter((point) => point.at > at - window && point.at <= at);
		if (within.length < 2) {
			return [];
		}
		// Divide by the whole window: an instance that has just started, or was stopped, has only few points at its end.
		let sum = 0;
		for (let i = 1; i < within.length; i++) {
			const step = within[i].value - within[i - 1].value;
			sum += step < 0 ? within[i].value : step;
		}
		return [{ labels: those, value: perSecond ? sum / window : sum }];
	});
}

// Assumes that values are spread evenly within a bucket, and that values above the last bound are equal to it.
function quantiles(quantile, buckets) {
	const others = new Set(buckets.flatMap(({ labels: those }) => Object.keys(those)));
	others.delete('le');
	return groups(buckets, [...others]).flatMap(({ labels: those, members }) => {
		const bounds = members.map((member) => ({ le: Number(member.labels.le.replace('+Inf', 'Infinity')), count: member.value }))
			.sort((one, other) => one.le - other.le);
		const rank = quantile * bounds[bounds.length - 1].count;
		if (!(rank > 0)) {
			return [];
		}
		const found = bounds.findIndex(({ count }) => count >= rank);
		const { le, count } = bounds[found];
		const below = bounds[found - 1] ?? { le: 0, count: 0 };
		return [{ labels: those, value: le === Infinity ? below.le : below.le + (le - below.le) * (rank - below.count) / (count - below.count) }];
	});
}

function groups(vector, by) {
	const found = new Map();
	for (const member of vector) {
		const those = Object.fromEntries(by.filter((name) => name in member.labels).map((name) => [name, member.labels[name]]));
		const key = JSON.stringify(those);
		const group = found.get(key) ?? { labels: those, members: [] };
		found.set(key, group);
		group.members.push(member);
	}
	return [...found.values()];
}

function labels(key) {
	return Object.fromEntries([...key.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) =>
		[name, value.replace(/\\(.)/g, (_, escaped) => escaped === 'n' ? '\n' : escaped)]));
}
