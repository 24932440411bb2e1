// The state of the page, and its text in the address.
'use strict';

const MOST_ITEMS = 6;
const KINDS = ['bias', 'angle', 'mask'];

const default_state = () => ({
  tab: 'compare', length: 2048, heads: 8, head: 1, layers: 12, width: 64,
  items: [{ scheme: 'alibi', params: {} }, { scheme: 'kerple-log', params: {} }, { scheme: 'rotary', params: {} }],
  study: '', config: '', files: {},
});

const NUMBERS = { length: [2, 65536], heads: [1, 256], head: [1, 256], layers: [1, 256], width: [2, 1024] };

const clamp = (value, [low, high]) => Math.min(high, Math.max(low, Math.round(Number(value)) || low));

const to_address = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

function from_address(text) {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(binary, c => c.charCodeAt(0));
}

const piped = async (bytes, through) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());

const packed_bytes = async bytes => to_address(await piped(bytes, new CompressionStream('deflate-raw')));
const packed = text => packed_bytes(new TextEncoder().encode(text));

const unpacked_bytes = text => piped(from_address(text), new DecompressionStream('deflate-raw'));
const unpacked = async text => new TextDecoder().decode(await unpacked_bytes(text));

// A browser refuses longer addresses.
const MOST_BYTES_IN_LINK = 1 << 20;

/** Whether a study may name a file so: in its folder, or beside one of the two that it is in. */
const is_file_name = name => /^(\.\.\/){0,2}[^/\0]+(\/[^/\0]+)*$/.test(name) && !name.replace(/^(\.\.\/)+/, '').split('/').some(each => each === '.' || each === '..');

const params_text = params => Object.entries(params).map(([name, value]) => `${name}:${value}`).join(',');

function params_of(text) {
  const params = {};
  for (const pair of text.split(',')) {
    const [name, value] = pair.split(':');
    if (/^[A-Za-z_]\w*$/.test(name || '') && Number.isFinite(Number(value)) && value !== '') params[name] = Number(value);
  }
  return params;
}

/** The fragment of an address that restores the state: readable for schemes, compressed for texts. */
async function fragment_of(state) {
  const fields = new URLSearchParams();
  fields.set('tab', state.tab);
  if (state.tab === 'study') {
    fields.set('study', await packed(state.study));
    for (const [name, bytes] of Object.entries(state.files || {})) {
      if (bytes.length > MOST_BYTES_IN_LINK) continue;
      fields.append('file', name);
      fields.append('content', await packed_bytes(bytes));
    }
  }
  if (state.tab === 'doctor') fields.set('config', await packed(state.config));
  if (state.tab === 'compare') {
    for (const name of Object.keys(NUMBERS)) fields.set(name, state[name]);
    for (const item of state.items) {
      if (item.scheme) fields.append('scheme', item.scheme);
      else fields.append(item.kind, item.formula);
      fields.append('params', params_text(item.params));
    }
  }
  return '#' + fields;
}

/** The state of a fragment; what it does not name, or names wrongly, has its default. */
async function state_of(fragment) {
  const state = default_state();
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const tab = fields.get('tab');
  if (['compare', 'study', 'doctor', 'about'].includes(tab)) state.tab = tab;
  for (const [name, range] of Object.entries(NUMBERS))
    if (fields.has(name)) state[name] = clamp(fields.get(name), range);
  state.head = Math.min(state.head, state.heads);
  const items = [];
  for (const [name, value] of fields) {
    if (name === 'scheme') items.push({ scheme: value, params: {} });
    else if (KINDS.includes(name)) items.push({ kind: name, formula: value, params: {} });
    else if (name === 'params' && items.length) items[items.length - 1].params = params_of(value);
  }
  if (items.length) state.items = items.slice(0, MOST_ITEMS);
  let file = '';
  for (const [name, value] of fields) {
    if (name === 'file') file = value;
    if (name !== 'content' || !is_file_name(file)) continue;
    try {
      state.files[file] = await unpacked_bytes(value);
    } catch {
      // The study says that its file is missing.
    }
  }
  for (const name of ['claim', 'figure']) if (fields.has(name)) state[name] = fields.get(name);
  for (const name of ['study', 'config']) {
    if (!fields.has(name)) continue;
    try {
      state[name] = await unpacked(fields.get(name));
      if (!tab) state.tab = name === 'study' ? 'study' : 'doctor';
    } catch {
      state[name] = '';
    }
  }
  return state;
}
