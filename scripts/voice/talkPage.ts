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

const ears = new Map<BaseAudioContext, AnalyserNode>()
const connect = AudioNode.prototype.connect

/** Everything that is connected to a loudspeaker is heard by an ear beside it. */
AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode | AudioParam): AudioNode {
  if (!(to instanceof AudioNode)) throw new Error("no call connects a parameter")
  if (to instanceof AudioDestinationNode) {
    // Each look hears the last 43 ms alone, and nothing of a call that has ended before.
    const options = { fftSize: 2048, smoothingTimeConstant: 0 }
    const ear = ears.get(to.context) ?? new AnalyserNode(to.context, options)
    ears.set(to.context, ear)
    Reflect.apply(connect, this, [ear])
  }
  Reflect.apply(connect, this, [to])
  return to
}

const heard = (): Heard => {
  const ear = [...ears.values()].at(-1)
  if (ear === undefined) return { hz: 0, decibels: Number.NEGATIVE_INFINITY, binHz: 1 }
  const bins = new Float32Array(ear.frequencyBinCount)
  ear.getFloatFrequencyData(bins)
  const loudest = bins.reduce((best, level, at) => (level > (bins[best] ?? 0) ? at : best), 1)
  const binHz = ear.context.sampleRate / ear.fftSize
  return { hz: loudest * binHz, decibels: bins[loudest] ?? Number.NEGATIVE_INFINITY, binHz }
}

const join = async (url: string, project: string, roomId: string) => {
  const client = new Client(url, { project, identity: "tab" })
  const room = await client.joinOrCreate(talk, { roomId })
  // Browsers mend an echo, and a tone is none.
  const microphone = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  let call: VoiceCall | null = null
  let ends = 0
  return {
    talk: async () => {
      const joined = await voice.join(room, { microphone })
      call = joined
      let wasConnected = true
      joined.onChange(() => {
        if (wasConnected && !joined.connected) ends += 1
        wasConnected = joined.connected
      })
    },
    heard,
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
