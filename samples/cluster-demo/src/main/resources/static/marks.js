// Marks that differ in shape, not only in colour. All are centered at (0, 0).

const SVG = 'http://www.w3.org/2000/svg';

export function svg(name, attributes = {}) {
	const node = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes)) {
		node.setAttribute(key, value);
	}
	return node;
}

const SHAPES = {
	// Lost: a warning sign.
	triangle: [['path', 'shape', 'M0-6.5 7 6H-7z'], ['path', 'inner', 'M0-2V2M0 4.2V4.3']],
	// Killed.
	cross: [['path', 'line', 'M-5-5 5 5M5-5-5 5']],
	// Stopped: the pause symbol of a player.
	bars: [['path', 'shape', 'M-5-5.5h3.5v11H-5zM1.5-5.5H5v11H1.5z']],
	// Hangs.
	diamond: [['path', 'shape', 'M0-7 6 0 0 7-6 0z']],
	// Started.
	ring: [['path', 'line', 'M0-4.5A4.5 4.5 0 1 1 0 4.5 4.5 4.5 0 1 1 0-4.5']],
	// Refused: a no-entry sign.
	barred: [['path', 'shape', 'M0-6.5A6.5 6.5 0 1 1 0 6.5 6.5 6.5 0 1 1 0-6.5'], ['path', 'inner', 'M-3.4 0H3.4']],
	// A violation.
	star: [['path', 'shape', 'M0-9 2.6-2.8 9-2.8 4 1.5 5.8 8 0 4.2-5.8 8-4 1.5-9-2.8-2.6-2.8z']]
};

export function shape(name) {
	const group = svg('g');
	for (const [element, look, d] of SHAPES[name]) {
		group.append(svg(element, { class: look, d }));
	}
	return group;
}
