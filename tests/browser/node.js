// The page's worker under node: a line of JSON asks, a line answers. Usage: node.js FOLDER_OF_THE_PROGRAM WORKER
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');

const [folder, worker] = process.argv.slice(2);
const send = text => fs.writeSync(1, text + '\n');
const plain = (key, value) => value instanceof Float64Array ? Array.from(value) : value;
globalThis.self = { postMessage: answer => send(JSON.stringify(answer, plain)) };
const source = fs.readFileSync(path.join(folder, 'farfield.js'), 'utf8') + '\n' + fs.readFileSync(worker, 'utf8').replace("'use strict';", '');
globalThis.require = require;
globalThis.__dirname = folder;
(0, eval)(source);
const code = new WebAssembly.Module(fs.readFileSync(path.join(folder, 'farfield.wasm')));
self.onmessage({ data: { code } }).then(() => {
  readline.createInterface({ input: process.stdin }).on('line', line => self.onmessage({ data: JSON.parse(line) }));
});
