/** The page of a player who talks. What it exports the test calls, over `window`. */
import { Client } from "@atrium/sdk/client"
import { voice, type VoiceCall } from "@atrium/sdk/voice"

import { talk } from "./talkSchema.ts"

/** What a player's ear hears now: the loudest frequency. */
export interface Heard {
  readonly hz: number
  readonly decibels: number
  readonly binHz: number
}

/** The whole sound, and that of each side. */
interface Ear {
  readonly both: AnalyserNode
  readonly left: AnalyserNode
  readonly right: AnalyserNode
}

const ears = new Map<BaseAudioContext, Ear>()
const connect = AudioNode.prototype.connect

const earOf = (context: BaseAudioContext): Ear => {
  // Each look hears the last 43 ms alone, and nothing of a call that has ended before.
  const listen = () => new AnalyserNode(context, { fftSize: 2048, smoothingTimeConstant: 0 })
  return { both: listen(), left: listen(), right: listen() }
}

/** Everything that is connected to a loudspeaker is heard by an ear beside it. */
AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode | AudioParam): AudioNode {
  if (!(to instanceof AudioNode)) throw new Error("no call connects a parameter")
  if (to instanceof AudioDestinationNode) {
    const ear = ears.get(to.context) ?? earOf(to.context)
    ears.set(to.context, ear)
    const sides = new ChannelSplitterNode(to.context, { numberOfOutputs: 2 })
    Reflect.apply(connect, this, [ear.both])
    Reflect.apply(connect, this, [sides])
    Reflect.apply(connect, sides, [ear.left, 0])
    Reflect.apply(connect, sides, [ear.right, 1])
  }
  Reflect.apply(connect, this, [to])
  return to
}

const silence: Heard = { hz: 0, decibels: Number.NEGATIVE_INFINITY, binHz: 1 }

const heardBy = (ear: AnalyserNode): Heard => {
  const bins = new Float32Array(ear.frequencyBinCount)
  ear.getFloatFrequencyData(bins)
  const loudest = bins.reduce((best, level, at) => (level > (bins[best] ?? 0) ? at : best), 1)
  const binHz = ear.context.sampleRate / ear.fftSize
  return { hz: loudest * binHz, decibels: bins[loudest] ?? Number.NEGATIVE_INFINITY, binHz }
}

const heard = (side: keyof Ear = "both"): Heard => {
  const ear = [...ears.values()].at(-1)
  return ear === undefined ? silence : heardBy(ear[side])
}

const join = async (url: string, project: string, roomId: string) => {
  const client = new Client(url, { project, identity: "tab" })
  const room = await client.joinOrCreate(talk, { roomId })
  // Browsers mend an echo, and a tone is none.
  const microphone = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  let call: VoiceCall | null = null
  let ends = 0
  return {
    /** @param range from so far on nobody is heard; `null` = all are heard alike, wherever they are */
    talk: async (range: number | null = null) => {
      const pan =
        range === null ? {} : { pan: { collection: "heads" as const, client: "client", range } }
      const joined = await voice.join(room, { microphone, ...pan })
      call = joined
      let wasConnected = true
      joined.onChange(() => {
        if (wasConnected && !joined.connected) ends += 1
        wasConnected = joined.connected
      })
    },
    heard,
    /** How loud each side is, in decibels. */
    sides: () => ({ left: heard("left").decibels, right: heard("right").decibels }),
    state: () => ({
      sessionId: room.sessionId,
      connected: call?.connected === true,
      // How often the call has ended, and was made anew.
      ends,
      participants: call?.participants ?? [],
      speakers: call?.speakers ?? [],
      levels: [...(call?.levels() ?? [])]
    }),
    mute: (muted: boolean) => call?.mute(muted),
    setVolume: (clientId: string, volume: number) => call?.setVolume(clientId, volume),
    move: (x: number, y: number) => room.send("move", { x, y }),
    team: (name: string) => room.send("team", { name }),
    hangUp: () => call?.leave(),
    leave: () => room.leave()
  }
}

export type Talker = Awaited<ReturnType<typeof join>>

declare global {
  interface Window {
    join: typeof join
    talker: Talker
  }
}
window.join = join
