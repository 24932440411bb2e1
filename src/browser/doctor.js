// The tab that checks a model's configuration: a config.json, or the header of a GGUF, which is read by slices.
'use strict';

const CONFIG_EXAMPLE = `{
  "model_type": "llama",
  "hidden_size": 4096,
  "num_attention_heads": 32,
  "num_key_value_heads": 8,
  "num_hidden_layers": 32,
  "max_position_embeddings": 131072,
  "rope_theta": 500000.0,
  "rope_scaling": { "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192 },
  "torch_dtype": "bfloat16"
}
`;

class DoctorTab {
  constructor(place, engine, state, changed) {
    Object.assign(this, { engine, state, changed });
    this.report = place.querySelector('#doctor-report');
    this.status = place.querySelector('#doctor-status');
    if (!state.config) state.config = CONFIG_EXAMPLE;
    this.editor = new Editor(place.querySelector('#doctor-editor'), { label: 'config.json', problems: 'doctor-report', text: state.config, changed: text => this.edited(text) });
    place.addEventListener('dragover', event => event.preventDefault());
    place.addEventListener('drop', event => { event.preventDefault(); if (event.dataTransfer.files[0]) this.take(event.dataTransfer.files[0]); });
    place.querySelector('#doctor-file').addEventListener('change', event => this.take(event.target.files[0]));
  }

  open() { this.run({ words: ['doctor', 'config.json'], files: { 'config.json': this.state.config } }); }

  async take(file) {
    if (!/\.(gguf|safetensors)$/i.test(file.name)) {
      this.editor.text = await file.slice(0, 1 << 22).text();
      this.edited(this.editor.text);
      return;
    }
    await this.run({ words: ['doctor', `/dropped/${file.name}`], dropped: file });
  }

  edited(text) {
    this.state.config = text;
    this.changed();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.open(), 500);
  }

  async run(request) {
    this.status.textContent = 'Checking…';
    try {
      const answer = await this.engine.studies.run(request);
      this.editor.mark(request.dropped ? [] : placed_problems(answer.problems));
      this.report.textContent = answer.output || answer.problems;
      this.status.textContent = ['No warning.', 'There are warnings.', 'The configuration cannot be read.', 'Something is missing.'][answer.status] || '';
    } catch (failure) {
      if (failure.kind !== 'newer') this.status.textContent = failure.message;
    }
    document.documentElement.dataset.doctor = String(Number(document.documentElement.dataset.doctor || 0) + 1);
  }
}
