// The studies that the page runs: texts as a user would write them.
'use strict';

const toml_text = text => JSON.stringify(text).replace(/\x7f/g, '\\u007f');
const toml_number = value => Number.isFinite(value) ? String(value) : 'nan';
const toml_table = values => '{ ' + Object.entries(values).map(([name, value]) => `${name} = ${toml_number(value)}`).join(', ') + ' }';

const name_of = item => item.scheme || 'typed';

/** What a typed formula declares. Its text is on the second line, from this column on. */
const TYPED = {
  bias: { before: 'bias = ', after: '', parts: ['bias'] },
  angle: { before: 'rotate = { angle = ', after: ' }', parts: ['rotate'] },
  mask: { before: 'mask = ', after: '', parts: ['mask'] },
};

function typed_scheme(item) {
  if (item.scheme) return '';
  const { before, after } = TYPED[item.kind];
  const params = Object.keys(item.params).length ? `params = ${toml_table(item.params)}\n` : '';
  return `[scheme.typed]\n${before}${toml_text(item.formula)}${after}\n${params}\n`;
}

/** The characters before the formula in its line of the study. */
const formula_start = item => TYPED[item.kind].before.length + 1;

function selection(item, state) {
  const params = item.scheme && Object.keys(item.params).length ? `params = ${toml_table(item.params)}\n` : '';
  return `scheme = ${toml_text(name_of(item))}\n${params}head = ${state.head}\nheads = ${state.heads}\nhead_dim = ${state.width}\n`;
}

const rotates = parts => parts.includes('rotate') && !parts.includes('bias');

/** What is drawn at each change: values without enclosures. */
function curves_study(item, state, parts) {
  const common = selection(item, state) + `layer = 1\nlength = ${state.length}\nenclosures = "never"\n`;
  const layers = `layers = ${state.layers}\n`;  // of a profile: how many follow each other, here one
  const distances = `distances = { from = 0, to = ${state.length - 1} }\n`;
  if (rotates(parts)) return `${typed_scheme(item)}[quantity.expectation]\nkind = "expectation"\n${common}${layers}${distances}`;
  return `${typed_scheme(item)}[quantity.bias]\nkind = "curve"\n${common}${layers}${distances}\n` +
    `[quantity.attention]\nkind = "profile"\n${common}distances = { to = ${state.length - 1} }\n`;
}

/** The numbers of layers whose receptive fields are drawn: all that there are among at most nine; fewer where each takes long. */
function layers_shown({ layers, length }) {
  const parts = length > 8192 ? 4 : 8;
  const shares = Array.from({ length: parts }, (_, i) => Math.round(layers * (i + 1) / parts));
  return [...new Set([1, ...shares.filter(each => each > 0)])];
}

/** The last distances N for which R(s) is drawn: powers of two, and the last of the length. */
function lasts_shown({ length }) {
  const last = length - 2;
  const lasts = [];
  for (let each = 1; each < last; each *= 2) lasts.push(each);
  return last > 0 ? [...lasts, last] : [];
}

/** What takes longer: receptive fields by layers, and the resolution by its last distance. */
function numbers_study(item, state, parts) {
  const name = rotates(parts) ? 'expectation' : 'bias';
  const curves = curves_study(item, state, parts).replace(/\n\[quantity.attention\][^]*/, '\n');
  const scale = rotates(parts) ? `scale = "1/sqrt(${state.width})"\n` : '';
  const sweep = (key, values) => `sweep = { ${key} = [${values.join(', ')}] }\n`;
  const lasts = lasts_shown(state);
  const resolution = lasts.length ? `[quantity.resolution]\nkind = "resolution"\nof = "${name}"\n${sweep('N', lasts)}${scale}\n` : '';
  return `${curves}\n${resolution}[quantity.field]\nkind = "receptive-field"\n${selection(item, state)}length = ${state.length}\n${sweep('layers', layers_shown(state))}`;
}

const STUDY = 'playground.toml';

const run_request = (text, files = {}) => ({
  words: ['run', '--no-figures', '--quiet', '--threads', '1', STUDY], files: { ...files, [STUDY]: text }, results: 'results',
});

function safe_length_request(item) {
  const lets = item.scheme ? Object.entries(item.params).flatMap(([name, value]) => ['--let', `${name}=${toml_number(value)}`]) : [];
  const from = item.scheme ? [] : ['--from', STUDY];
  return {
    words: ['safe-length', name_of(item), '--json', '--longest', '1048576', ...lets, ...from],
    files: item.scheme ? {} : { [STUDY]: typed_scheme(item) },
  };
}

/** { quantities, series } of what a run wrote. */
function results_of(answer) {
  const folder = 'playground/';
  const record = answer.results[folder + 'results.json'];
  const quantities = record ? JSON.parse(record).quantities : {};
  const series = {};
  for (const [name, quantity] of Object.entries(quantities))
    if (quantity.series) series[name] = answer.results[folder + quantity.series];
  return { record: record ? JSON.parse(record) : null, quantities, series };
}

/** The problems on standard error that have a place: line, column, the length of what is underlined (perhaps the whole line), and the message. */
function placed_problems(text) {
  const lines = text.split('\n');
  const found = [];
  for (let i = 0; i < lines.length; ++i) {
    const match = /^(?:[^:\s]+:)?(\d+):(\d+): (.*)$/.exec(lines[i]);
    const whole = match ? null : /^[^:\s]+\.toml:(\d+): (.*)$/.exec(lines[i]);
    if (whole) found.push({ line: Number(whole[1]), column: 1, length: 10000, message: whole[2] });
    if (!match) continue;
    const marked = /^\s+(\^~*)\s*$/.exec(lines[i + 2] || '');
    const more = [];
    for (let k = i + 3; k < lines.length && /^ {3}\S/.test(lines[k]); ++k) more.push(lines[k].trim());
    found.push({ line: Number(match[1]), column: Number(match[2]), length: marked ? marked[1].length : 1,
      message: [match[3], ...more].join('; ') });
  }
  return found;
}
