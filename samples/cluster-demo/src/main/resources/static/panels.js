// Draws the panels of docs/grafana/redis-lock.json from the workers' metrics, with the same queries, titles, units and order.

import { compile, Samples } from './promql.js';
import { svg } from './marks.js';

const SHOWN = 180; // seconds
const RATE = 15; // seconds over which a rate is computed
const SIZE = { width: 600, height: 130 };
// Lines differ in colour and in dashes.
const LINES = [['--hold', ''], ['--loss', '7 4'], ['--still', '2 3'], ['--kill', '10 3 2 3'], ['--refused', '5 2'], ['--soft', '1 4']];
const NO_VARIABLES = /\$(application|instance|lock)\b/g;

const UNITS = {
	s: (value) => value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(value < 10 ? 2 : 1)} s`,
	ops: (value) => `${value.toFixed(2)} /s`,
	short: (value) => Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2)
};

/**
 * A panel with the results of its queries so far.
 */
class Panel {

	constructor({ type, title, description, gridPos, fieldConfig: { defaults }, targets }) {
		this.unit = UNITS[defaults.unit];
		this.stat = type === 'stat';
		this.alarm = defaults.thresholds?.steps.find(({ value }) => value !== null)?.value ?? Infinity;
		this.stacked = defaults.custom?.stacking.mode === 'normal';
		this.queries = targets.map(({ expr, legendFormat }) => ({
			legend: legendFormat,
			answer: compile(expr.replace(NO_VARIABLES, '.*').replaceAll('$__rate_interval', `${RATE}s`).replaceAll('$__range', `${SHOWN}s`))
		}));
		this.lines = new Map(); // from legend to { at, value }
		this.box = document.createElement('figure');
		this.box.className = `panel ${type}`;
		this.box.title = description;
		this.box.style.setProperty('--columns', gridPos.w);
		const caption = document.createElement('figcaption');
		caption.textContent = title;
		this.picture = svg('svg', { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, preserveAspectRatio: 'none', 'aria-hidden': true });
		this.words = document.createElement(this.stat ? 'output' : 'ul');
		this.top = document.createElement('span');
		this.box.append(caption, ...(this.stat ? [this.words, this.picture] : [this.plot(defaults.custom.axisLabel), this.words]));
	}

	// Returns the curves with their axes: values from bottom to top, time from left to right.
	plot(axisLabel) {
		const part = (look, ...content) => {
			const box = document.createElement('div');
			box.className = look;
			box.append(...content);
			return box;
		};
		return part('plot', part('axis', axisLabel), part('values', this.top, part('zero', this.unit(0))), this.picture,
			part('times', part('', `${SHOWN / 60} min ago`), part('', 'now')));
	}

	ask(samples, at) {
		for (const { legend, answer } of this.queries) {
			for (const { labels, value } of answer(samples, at)) {
				const name = legend.replace(/\{\{(\w+)\}\}/g, (_, label) => labels[label] ?? '');
				const points = this.lines.get(name) ?? [];
				this.lines.set(name, points);
				points.push({ at, value });
			}
		}
		for (const points of this.lines.values()) {
			while (points.length && points[0].at < at - SHOWN) {
				points.shift();
			}
		}
		this.draw(at);
	}

	draw(at) {
		const names = [...this.lines.keys()].sort();
		const curves = this.stacked ? stack(names.map((name) => this.lines.get(name))) : names.map((name) => this.lines.get(name));
		const highest = Math.max(...curves.flat().map(({ value }) => value), 0);
		const scale = highest > 0 ? highest : 1;
		const place = (point) => `${(SIZE.width * (1 - (at - point.at) / SHOWN)).toFixed(1)} ${(SIZE.height * (1 - point.value / scale)).toFixed(1)}`;
		this.picture.replaceChildren(...curves.flatMap((points, index) => pieces(points).flatMap((piece) => {
			const [colour, dashes] = LINES[index % LINES.length];
			const line = `M${piece.map(place).join('L')}`;
			const ends = [piece[piece.length - 1], piece[0]].map(({ at: time }) => place({ at: time, value: 0 }));
			return [svg('path', { d: `${line}L${ends.join('L')}Z`, class: 'area', style: `fill: var(${colour})` }),
				svg('path', { d: line, class: 'line', style: `stroke: var(${colour})`, 'stroke-dasharray': dashes })];
		})));
		const latest = (name) => this.lines.get(name).findLast((point) => point.at === at)?.value;
		if (this.stat) {
			const value = names.length ? latest(names[0]) ?? 0 : 0;
			this.words.textContent = this.unit(value);
			this.words.classList.toggle('bad', value >= this.alarm);
		}
		else {
			this.top.textContent = this.unit(scale);
			this.words.replaceChildren(...names.length ? names.map((name, index) => legend(name, LINES[index % LINES.length], latest(name), this.unit)) : [nothing()]);
		}
	}

}

function nothing() {
	const entry = document.createElement('li');
	entry.textContent = 'nothing yet';
	return entry;
}

function legend(name, [colour, dashes], value, unit) {
	const entry = document.createElement('li');
	const image = svg('svg', { width: 22, height: 8, 'aria-hidden': true });
	image.append(svg('path', { d: 'M0 4H22', class: 'line', style: `stroke: var(${colour})`, 'stroke-dasharray': dashes }));
	const words = document.createElement('span');
	words.textContent = value === undefined ? name : `${name} ${unit(value)}`;
	entry.append(image, words);
	return entry;
}

// Stacks each curve on top of the previous ones.
function stack(curves) {
	const sums = new Map();
	return curves.map((points) => points.map(({ at, value }) => {
		sums.set(at, (sums.get(at) ?? 0) + value);
		return { at, value: sums.get(at) };
	}));
}

// Splits a curve into pieces, because a missing result leaves a gap.
function pieces(points) {
	const found = [];
	for (const [index, point] of points.entries()) {
		if (!index || point.at - points[index - 1].at > 4) {
			found.push([]);
		}
		found[found.length - 1].push(point);
	}
	return found;
}

const HELD_EXCLUSIVE = /^(redis_lock_held_seconds_\w+\{.*\block="([^"]*)".*\bmode="exclusive".*\}) (?!0(?:\.0)?$).+$/gm;

// If several workers report that they hold one exclusive lock, uses only the latest report, because the others are
// outdated.
function newestHolders(scrapes) {
	const newest = new Map();
	return Object.entries(scrapes).reverse().map(([worker, text]) => [worker, text.replace(HELD_EXCLUSIVE, (line, series, lock) => {
		newest.set(lock, newest.get(lock) ?? worker);
		return newest.get(lock) === worker ? line : `${series} 0`;
	})]);
}

/**
 * Draw the dashboard, and keep it up to date.
 * @param exclusive whether all workers use the same lock for a name
 */
export async function showPanels(place, exclusive) {
	const dashboard = await (await fetch('redis-lock.json')).json();
	const panels = dashboard.panels.map((panel) => new Panel(panel));
	place.replaceChildren(...panels.map(({ box }) => box));
	const samples = new Samples(SHOWN);
	const look = async () => {
		try {
			const scrapes = await (await fetch('metrics')).json();
			const at = performance.now() / 1000;
			for (const [worker, text] of exclusive ? newestHolders(scrapes) : Object.entries(scrapes)) {
				samples.read(text, worker, at);
			}
			panels.forEach((panel) => panel.ask(samples, at));
		}
		finally {
			// Poll again, even if this poll failed.
			setTimeout(look, 1000);
		}
	};
	await look();
}
