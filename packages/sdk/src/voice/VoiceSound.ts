import type { VoicePort } from "./VoicePort.ts"

/** How a speaker is heard. */
export interface Hearing {
  /** 0 is silence, 1 is as loud as it came, at most 4. */
  readonly volume: number
  /** −1 is the left, 1 the right. */
  readonly pan: number
}

/** Changes of volume and pan take this long, in seconds: at once they would click. */
const GlideSeconds = 0.02
const FrameSamples = 1024

/** One voice, on its way to the ear. */
interface Voice {
  readonly gain: GainNode
  readonly panner: StereoPannerNode
  readonly analyser: AnalyserNode
  readonly end: () => void
}

/** The sound of a call: the voices in its slots, each with its own volume and place, and the own microphone. */
export class VoiceSound {
  readonly #port: VoicePort
  readonly #context: AudioContext
  readonly #samples = new Float32Array(FrameSamples)
  readonly #own: AnalyserNode
  #slots: Array<Voice> = []

  constructor(port: VoicePort, microphone: MediaStream | null) {
    this.#port = port
    this.#context = new port.AudioContext()
    this.#own = this.#context.createAnalyser()
    this.#own.fftSize = FrameSamples
    if (microphone !== null) this.#context.createMediaStreamSource(microphone).connect(this.#own)
    // A browser lets a page sound after a click or a key; a page that joins by one may at once.
    void this.#context.resume()
  }

  /** The voices of a connection, by slot; those of the connection before end. */
  take(tracks: ReadonlyArray<MediaStreamTrack>): void {
    for (const { end } of this.#slots) end()
    this.#slots = tracks.map((track) => this.#voiceOf(track))
  }

  /** @param hearing of the speakers by slot; `null` = nobody has the slot */
  hear(hearing: ReadonlyArray<Hearing | null>): void {
    const nowSeconds = this.#context.currentTime
    for (const [slot, { gain, panner }] of this.#slots.entries()) {
      const { volume, pan } = hearing[slot] ?? { volume: 1, pan: 0 }
      gain.gain.setTargetAtTime(volume, nowSeconds, GlideSeconds)
      panner.pan.setTargetAtTime(pan, nowSeconds, GlideSeconds)
    }
  }

  /** How loud a slot is now, from 0 to 1, as it is heard. */
  level(slot: number): number {
    const voice = this.#slots[slot]
    return voice === undefined ? 0 : this.#levelOf(voice.analyser)
  }

  /** How loud the microphone is now, from 0 to 1. */
  get ownLevel(): number {
    return this.#levelOf(this.#own)
  }

  end(): void {
    this.take([])
    void this.#context.close()
  }

  #voiceOf(track: MediaStreamTrack): Voice {
    const context = this.#context
    const stream = new this.#port.MediaStream([track])
    // Chromium gives Web Audio no samples of a remote track that no element plays.
    const element = new this.#port.Audio()
    element.muted = true
    element.srcObject = stream
    void element.play().catch(() => undefined)
    const source = context.createMediaStreamSource(stream)
    const gain = context.createGain()
    const panner = context.createStereoPanner()
    const analyser = context.createAnalyser()
    analyser.fftSize = FrameSamples
    source.connect(gain).connect(analyser).connect(panner).connect(context.destination)
    const end = (): void => {
      element.srcObject = null
      for (const node of [source, gain, analyser, panner]) node.disconnect()
    }
    return { gain, panner, analyser, end }
  }

  #levelOf(analyser: AnalyserNode): number {
    analyser.getFloatTimeDomainData(this.#samples)
    const sum = this.#samples.reduce((total, sample) => total + sample * sample, 0)
    return Math.min(1, Math.sqrt(sum / FrameSamples))
  }
}
