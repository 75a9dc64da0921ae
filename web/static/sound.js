// The sound of a stone: a short burst of filtered noise. Off until the person wants it.
let context = null;

export const sound = {
  get isOn() { return localStorage.getItem("miai-sound") === "on"; },
  set isOn(on) { localStorage.setItem("miai-sound", on ? "on" : "off"); },
};

export function click() {
  if (!sound.isOn) return;
  context ??= new AudioContext();
  const seconds = 0.06;
  const buffer = context.createBuffer(1, context.sampleRate * seconds, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index++) {
    samples[index] = (2 * Math.random() - 1) * Math.exp(-index / (0.12 * samples.length));
  }
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: 1900, Q: 1.1 });
  const gain = new GainNode(context, { gain: 0.6 });
  source.connect(filter).connect(gain).connect(context.destination);
  source.start();
}
