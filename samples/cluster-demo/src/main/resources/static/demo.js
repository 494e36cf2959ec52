// Draws the events of the demonstration, with a lane for each worker. Each shape is drawn once, at the place of its
// time. The group that contains these shapes moves to the left.

import { shape, svg } from './marks.js';
import { showPanels } from './panels.js';

const LANE = 100;
const AXIS = 46;
const SCALE = 26; // pixels for a second
const AHEAD = { wide: 152, narrow: 96 }; // pixels to the right of the present, with room for the longest label
const NARROW = 480; // pixels; labels are short in a narrower picture
const CHARACTER = 6.9; // pixels
const BAR = { top: 24, height: 24 };
const ROWS = [64, 83];
const HEARD_WITHIN = 300; // in ms: how long after the next hold a release may be reported

// The marked events, with shape and text.
const MARKS = {
	STARTED: { shape: 'ring', look: 'plain', words: 'started' },
	HANGS: { shape: 'diamond', look: 'frozen', words: 'hangs' },
	LOST: { shape: 'triangle', look: 'loss', words: 'lock lost' },
	FAILED: { shape: 'ring', look: 'plain', words: 'no reply' },
	FROZEN: { shape: 'bars', look: 'frozen', words: 'stopped' },
	KILLED: { shape: 'cross', look: 'kill', words: 'killed' },
	ENDED: { shape: 'cross', look: 'kill', words: 'ended' },
	REFUSED: { shape: 'barred', look: 'refused', words: 'stale write refused', short: 'refused' },
	VIOLATION: { shape: 'star', look: 'violation', words: 'violation' }
};

const STATES = {
	STARTED: 'idle', WAITS: 'waits for the lock', HOLDS: 'holds the lock', WORKS: 'holds the lock and works',
	HANGS: 'holds the lock and hangs', LOST: 'has lost the lock', RELEASED: 'idle', NOT_RELEASED: 'idle',
	DONE: 'releases the lock', FAILED: 'got no reply', KILLED: 'killed, restarting', ENDED: 'ended, restarting'
};

const $ = (id) => document.getElementById(id);
const picture = $('picture');
const calm = matchMedia('(prefers-reduced-motion: reduce)');

let lanes = new Map();
let lease; // in ms
let layers;
let drawn = []; // { node, end }, which are removed some time after their end
let growing = new Set(); // functions of the current time
let lastId = 0;
let lastHold; // the latest hold, from which the lock may be handed over
let pause;
let offset = 0; // the offset of the demonstration's clock from the clock of the page
let nextTick = 0;
let spokenAt = 0;

const x = (at) => at / 1000 * SCALE;
const now = () => performance.now() + offset;

function draw(layer, name, attributes, end = Infinity) {
	const node = svg(name, attributes);
	layer.append(node);
	const entry = { node, end };
	drawn.push(entry);
	return entry;
}

// Draws a bar that grows until its end, within bounds that may move.
function bar(layer, look, from, top, height, bounds = { from: () => from, until: () => Infinity }) {
	const entry = draw(layer, 'rect', { class: look, y: top, height, rx: Math.min(3, height / 2) });
	const grow = (at) => {
		const length = x(Math.min(at, bounds.until()) - bounds.from());
		entry.node.setAttribute('x', x(bounds.from()));
		entry.node.setAttribute('width', length < 0 ? 0 : Math.max(1.5, length));
	};
	growing.add(grow);
	grow(from);
	return {
		node: entry.node,
		end(at) {
			growing.delete(grow);
			grow(at);
			entry.end = at;
		}
	};
}

const isNarrow = () => picture.clientWidth < NARROW;
const ahead = () => isNarrow() ? AHEAD.narrow : AHEAD.wide;

function mark(lane, at, kind) {
	const { shape: name, look, words: full, short } = MARKS[kind];
	const words = isNarrow() && short || full;
	const left = x(at);
	let row = lane.taken.findIndex((taken) => taken < left - 8);
	let place = left;
	if (row < 0) {
		row = lane.taken[0] <= lane.taken[1] ? 0 : 1;
		place = Math.min(lane.taken[row] + 14, left + ahead() - 10);
	}
	// A label that would be cut is left out, because the log shows the same event.
	const fits = place + 16 + words.length * CHARACTER <= left + ahead();
	lane.taken[row] = place + 16 + (fits ? words.length * CHARACTER : 0);
	const group = draw(layers.marks, 'g', { class: `mark ${look}`, 'data-kind': kind,
		transform: `translate(${place} ${lane.top + ROWS[row]})` }, at + 10000).node;
	group.append(shape(name));
	if (fits) {
		const label = svg('text', { class: 'label', x: 12, y: 4 });
		label.textContent = words;
		group.append(label);
	}
}

function arrow(from, left, to, at) {
	const start = { x: x(left), y: from.top + BAR.top + BAR.height / 2 };
	const end = { x: x(at), y: to.top + BAR.top + (to.top > from.top ? -3 : BAR.height + 3) };
	const up = end.y < start.y;
	start.y += up ? -BAR.height / 2 - 1 : BAR.height / 2 + 1;
	const bend = Math.max(10, Math.abs(end.y - start.y) * 0.45) * (up ? -1 : 1);
	draw(layers.arrows, 'path', { class: 'arrow',
		d: `M${start.x} ${start.y} C${start.x} ${start.y + bend} ${end.x} ${end.y - bend} ${end.x} ${end.y}` }, at);
	const tip = up ? 6 : -6;
	draw(layers.arrows, 'path', { class: 'head', d: `M${end.x} ${end.y}l-3.6 ${tip}h7.2z` }, at);
}

function endWait(lane, at) {
	lane.wait?.end(at);
	lane.wait = undefined;
}

// Draws a part of a hold, which ends with the lease at the latest.
function held(hold, look, at) {
	return bar(layers.bars, look, at, hold.lane.top + BAR.top, BAR.height, { from: () => at, until: () => hold.until });
}

// Draws what a worker does after the end of its lease, until it has finished its work.
function beyond(hold) {
	const until = () => hold.until;
	return bar(layers.bars, 'beyond', hold.from, hold.lane.top + BAR.top, BAR.height, { from: until, until: () => Infinity });
}

function endHold(lane, at) {
	const hold = lane.hold;
	if (hold) {
		hold.ended = at - hold.passed < HEARD_WITHIN ? hold.passed : at;
		hold.parts.forEach((part) => part.end(hold.ended));
		lane.hold = undefined;
	}
	return hold;
}

function beginHold(lane, { at, token }) {
	endWait(lane, at);
	endHold(lane, at);
	if (lane.handed && lastHold && lastHold.lane !== lane) {
		lastHold.passed = Math.min(at, lastHold.ended ?? at);
		arrow(lastHold.lane, lastHold.passed, lane, at);
	}
	lane.handed = false;
	const hold = { lane, token, from: at, until: at + lease };
	hold.parts = [beyond(hold), held(hold, 'bar', at)];
	lane.hold = lastHold = hold;
	const start = x(at) + 5;
	// Where holds are short, a label would cover the one before.
	if (start > (lane.labelled ?? 0)) {
		const label = draw(layers.marks, 'text', { class: 'token', x: start, y: lane.top + BAR.top - 7 }, at + 10000).node;
		label.textContent = '…' + grouped(token.slice(-7));
		lane.labelled = start + label.getComputedTextLength();
	}
	const title = svg('title');
	title.textContent = `${lane.name}, fencing token ${token}`;
	hold.parts[1].node.append(title);
	$('token').textContent = grouped(token);
}

// Draws the rest of a dead holder's lease, during which the lock is not free.
function ghost(lane, at, until) {
	const y = lane.top + BAR.top + BAR.height / 2;
	const entry = draw(layers.bars, 'line', { class: 'ghost', x1: x(at), x2: x(at), y1: y, y2: y }, until);
	const grow = (time) => {
		entry.node.setAttribute('x2', x(Math.min(time, until)));
		if (time >= until) {
			growing.delete(grow);
		}
	};
	growing.add(grow);
}

function die(lane, at) {
	endWait(lane, at);
	const hold = endHold(lane, at);
	if (hold?.until > at) {
		hold.ended = hold.until;
		ghost(lane, at, hold.until);
	}
	lane.still?.end(at);
	lane.still = undefined;
	lane.handed = false;
	lane.ready = false;
	lane.dead = true;
}

function pauseRedis(at) {
	const entry = bar(layers.bands, 'pause', at, 0, lanes.size * LANE);
	const label = draw(layers.marks, 'text', { class: 'pause-label', x: x(at) + 6, y: lanes.size * LANE + 37 }, at + 10000);
	label.node.textContent = 'Redis paused';
	pause = entry;
}

const CHANGES = {
	STARTED(lane, { at }) {
		if (lane.dead) {
			mark(lane, at, 'STARTED');
		}
		lane.dead = false;
		lane.ready = true;
	},
	WAITS(lane, { at }) {
		endHold(lane, at);
		lane.wait = bar(layers.bars, 'waiting', at, lane.top + BAR.top + BAR.height / 2 - 2, 4);
	},
	HANDED_OVER(lane) {
		lane.handed = true;
	},
	HOLDS: beginHold,
	DONE(lane, { at, token }) {
		if (lane.hold?.token === token) {
			lane.hold.parts.shift().end(at);
		}
	},
	RENEWED(lane, { at }) {
		if (lane.hold) {
			lane.hold.until = at + lease;
			const top = lane.top + BAR.top + BAR.height;
			draw(layers.ticks, 'line', { class: 'tick', x1: x(at), x2: x(at), y1: top - 9, y2: top - 3 }, at);
		}
	},
	HANGS(lane, { at }) {
		if (lane.hold) {
			lane.hold.parts.pop().end(at);
			lane.hold.parts.push(held(lane.hold, 'hang', at));
		}
		mark(lane, at, 'HANGS');
	},
	LOST(lane, { at }) {
		if (lane.hold) {
			lane.hold.until = Math.min(lane.hold.until, at);
		}
		mark(lane, at, 'LOST');
	},
	RELEASED: (lane, { at }) => endHold(lane, at),
	NOT_RELEASED: (lane, { at }) => endHold(lane, at),
	FAILED(lane, { at }) {
		endWait(lane, at);
		mark(lane, at, 'FAILED');
	},
	FROZEN(lane, { at }) {
		lane.still = bar(layers.still, 'still', at, lane.top + BAR.top + BAR.height + 3, 5);
		mark(lane, at, 'FROZEN');
	},
	THAWED(lane, { at }) {
		lane.still?.end(at);
		lane.still = undefined;
	},
	KILLED(lane, { at }) {
		die(lane, at);
		mark(lane, at, 'KILLED');
	},
	ENDED(lane, { at }) {
		die(lane, at);
		mark(lane, at, 'ENDED');
	},
	REFUSED: (lane, { at }) => mark(lane, at, 'REFUSED'),
	VIOLATION: (lane, { at }) => mark(lane, at, 'VIOLATION')
};

// The state is IDLE, ASKED until the demonstration confirms the pause, or PAUSED.
function showPause(state) {
	const button = $('pause-redis');
	button.dataset.state = state;
	button.textContent = { IDLE: 'Pause Redis', ASKED: 'Pausing Redis …', PAUSED: 'Redis is paused' }[state];
	// The button is not disabled, because that would take the focus away.
	button.setAttribute('aria-disabled', state !== 'IDLE');
}

async function askForPause() {
	if ($('pause-redis').dataset.state !== 'IDLE') {
		return;
	}
	showPause('ASKED');
	const answer = await fetch('redis/pause', { method: 'POST' }).catch(() => undefined);
	if (!answer?.ok) {
		showPause('IDLE');
	}
}

// The kinds of events that do not show that a worker has started.
const FROM_OUTSIDE = ['FROZEN', 'THAWED', 'KILLED', 'ENDED'];

function apply(event) {
	if (event.id <= lastId) {
		return;
	}
	lastId = event.id;
	if (event.kind === 'REDIS_PAUSED') {
		pauseRedis(event.at);
		showPause('PAUSED');
	}
	else if (event.kind === 'REDIS_BACK') {
		pause?.end(event.at);
		showPause('IDLE');
	}
	const lane = lanes.get(event.source);
	if (lane) {
		lane.ready ||= !lane.dead && !FROM_OUTSIDE.includes(event.kind);
		CHANGES[event.kind]?.(lane, event);
		showState(lane, event);
	}
	if (!['RENEWED', 'HANDED_OVER', 'DONE'].includes(event.kind)) {
		writeLog(event);
	}
}

function showState(lane, { at, kind }) {
	if (STATES[kind] && !(kind === 'LOST' && !lane.hold)) {
		lane.words = STATES[kind];
	}
	const words = lane.still ? 'stopped' : lane.words;
	lane.state.textContent = words;
	lane.box.classList.toggle('holds', Boolean(lane.hold?.until > at && !lane.still));
	for (const button of lane.box.querySelectorAll('button')) {
		button.setAttribute('aria-disabled', !lane.ready);
	}
}

function writeLog({ at, kind, source, text }) {
	const line = document.createElement('li');
	const time = document.createElement('time');
	time.textContent = clock(at, 3);
	const who = document.createElement('b');
	who.textContent = source;
	const what = document.createElement('span');
	what.textContent = text;
	what.className = MARKS[kind]?.look ?? '';
	line.append(time, who, what);
	$('log').prepend(line);
	while ($('log').childElementCount > 200) {
		$('log').lastElementChild.remove();
	}
}

// Announces important events to screen readers, but not too often.
function speak({ kind, source, text }) {
	if (kind === 'VIOLATION') {
		$('alert').textContent = text;
	}
	else if (['LOST', 'KILLED', 'FROZEN', 'REDIS_PAUSED'].includes(kind) && performance.now() - spokenAt > 3000) {
		spokenAt = performance.now();
		$('status').textContent = `${source} ${text}`;
	}
}

function count(counters) {
	for (const [name, value] of Object.entries(counters)) {
		$(name).textContent = value.toLocaleString('en');
	}
	const bad = counters.violations > 0;
	const open = !bad && !counters.acquisitions;
	$('verdict').classList.toggle('bad', bad);
	$('verdict').classList.toggle('open', open);
	$('verdict-text').textContent = bad ? '✕ two at once' : open ? 'no hold yet' : '✓ one at a time';
}

function clock(at, digits) {
	const seconds = at / 1000;
	const rest = (seconds % 60).toFixed(digits).padStart(digits ? 3 + digits : 2, '0');
	return `${Math.floor(seconds / 60)}:${rest}`;
}

function grouped(token) {
	return token.replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

function begin({ now: time, counters, events }) {
	offset = time - performance.now();
	const height = lanes.size * LANE + AXIS;
	picture.setAttribute('height', height);
	const moving = svg('g');
	layers = { moving };
	for (const name of ['bands', 'axis', 'bars', 'ticks', 'still', 'arrows', 'marks']) {
		layers[name] = svg('g', { class: `layer-${name}` });
		moving.append(layers[name]);
	}
	const borders = svg('g');
	for (let lane = 1; lane <= lanes.size; lane++) {
		borders.append(svg('line', { class: 'border', x1: 0, x2: 4000, y1: lane * LANE - 0.5, y2: lane * LANE - 0.5 }));
	}
	picture.replaceChildren(patterns(), borders, svg('line', { id: 'now', class: 'now', y1: 0, y2: height - AXIS }), moving);
	drawn = [];
	growing = new Set();
	lastId = 0;
	lastHold = undefined;
	pause = undefined;
	showPause('IDLE');
	nextTick = Math.max(0, Math.floor((time - 120000) / 5000) * 5000);
	$('log').replaceChildren();
	for (const lane of lanes.values()) {
		Object.assign(lane, { taken: [-Infinity, -Infinity], wait: undefined, hold: undefined, still: undefined,
			handed: false, ready: false, dead: false, words: 'starts' });
		showState(lane, {});
	}
	events.forEach(apply);
	count(counters);
	place();
}

function patterns() {
	const defs = svg('defs');
	const stripes = (id, angle, width, look, ground) => {
		const pattern = svg('pattern', { id, width, height: width, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${angle})` });
		if (ground) {
			pattern.append(svg('rect', { width, height: width, style: ground }));
		}
		pattern.append(svg('rect', { width: width * 0.4, height: width, style: look }));
		defs.append(pattern);
	};
	stripes('hatch', 45, 6, 'fill: var(--loss); opacity: .75', 'fill: var(--card)');
	stripes('asleep', 0, 5, 'fill: var(--hold); opacity: .65', 'fill: var(--card)');
	stripes('stopped', 90, 3, 'fill: var(--still); opacity: .7', 'fill: var(--card)');
	stripes('paused', -45, 12, 'fill: var(--wait); opacity: .35');
	return defs;
}

function place() {
	if (!layers) {
		return;
	}
	const time = now();
	for (; nextTick <= time; nextTick += 5000) {
		draw(layers.axis, 'line', { class: 'grid', x1: x(nextTick), x2: x(nextTick), y1: 0, y2: lanes.size * LANE }, nextTick);
		draw(layers.axis, 'text', { x: x(nextTick), y: lanes.size * LANE + 19, 'text-anchor': 'middle' }, nextTick)
			.node.textContent = clock(nextTick, 0);
	}
	growing.forEach((grow) => grow(time));
	const edge = picture.clientWidth - ahead();
	layers.moving.setAttribute('transform', `translate(${(edge - x(time)).toFixed(1)} 0)`);
	const line = $('now');
	line.setAttribute('x1', edge);
	line.setAttribute('x2', edge);
}

function forget() {
	const oldest = now() - picture.clientWidth / SCALE * 1000 - 5000;
	drawn = drawn.filter(({ node, end }) => end > oldest || node.remove());
}

function run() {
	place();
	if (calm.matches) {
		setTimeout(run, 1000);
	}
	else {
		requestAnimationFrame(run);
	}
}

function lane(name, index) {
	const box = document.createElement('div');
	box.className = 'lane';
	box.dataset.worker = name;
	const title = document.createElement('h2');
	title.textContent = name;
	const state = document.createElement('p');
	state.className = 'state';
	const buttons = document.createElement('div');
	buttons.className = 'buttons';
	for (const [words, order] of [['Hang', 'hang'], ['Kill', 'kill']]) {
		const button = document.createElement('button');
		button.type = 'button';
		button.textContent = words;
		button.setAttribute('aria-label', `${words} ${name}`);
		button.addEventListener('click', () => button.ariaDisabled === 'true' || fetch(`workers/${name}/${order}`, { method: 'POST' }));
		buttons.append(button);
	}
	box.append(title, state, buttons);
	$('lanes').append(box);
	return { name, box, state, top: index * LANE };
}

function legend() {
	const bars = [['bar', 'holds, with fencing token; notches: renewals'], ['waiting', 'waits'],
		['hang', 'holds and hangs without renewing'], ['beyond', 'continues after the end of its lease']];
	for (const [look, words] of bars) {
		const image = svg('svg', { width: 30, height: 14, 'aria-hidden': true });
		image.append(svg('rect', { class: look, x: 1, width: 28, rx: 2, y: look === 'waiting' ? 5 : 1, height: look === 'waiting' ? 4 : 12 }));
		item(image, words);
	}
	const handed = svg('svg', { width: 18, height: 14, 'aria-hidden': true });
	handed.append(svg('path', { class: 'arrow', d: 'M2 1C2 9 14 3 14 8' }), svg('path', { class: 'head', d: 'M14 14l-3.6-6h7.2z' }));
	item(handed, 'handed over');
	const gone = svg('svg', { width: 30, height: 14, 'aria-hidden': true });
	gone.append(svg('line', { class: 'ghost', x1: 0, x2: 30, y1: 7, y2: 7 }));
	item(gone, 'lease of a dead holder');
	for (const kind of ['LOST', 'FROZEN', 'HANGS', 'KILLED', 'STARTED', 'REFUSED', 'VIOLATION']) {
		const { shape: name, look, words } = MARKS[kind];
		const image = svg('svg', { width: 16, height: 16, viewBox: '-8 -8 16 16', class: `mark ${look}`, 'aria-hidden': true });
		image.append(shape(name));
		item(image, words);
	}
}

function item(image, words) {
	const entry = document.createElement('li');
	entry.append(image, words);
	$('legend').append(entry);
}

async function start() {
	const setting = await (await fetch('setting')).json();
	lease = setting.leaseMillis;
	lanes = new Map(setting.workers.map((name, index) => [name, lane(name, index)]));
	$('how-many').textContent = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six'][lanes.size] ?? lanes.size;
	$('broken').hidden = !setting.broken;
	$('pause-redis').addEventListener('click', askForPause);
	legend();
	const feed = new EventSource('events');
	feed.addEventListener('snapshot', ({ data }) => begin(JSON.parse(data)));
	feed.addEventListener('update', ({ data }) => {
		const { event, counters } = JSON.parse(data);
		apply(event);
		speak(event);
		count(counters);
	});
	feed.addEventListener('open', () => $('connection').textContent = 'connected');
	feed.addEventListener('error', () => $('connection').textContent = 'the demonstration does not reply');
	setInterval(forget, 1000);
	run();
	await showPanels($('panels'), !setting.broken);
}

start();
