import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"

import { emptySlots } from "../media/Slots.ts"
import {
  type MediaJoin,
  type MediaListener,
  MediaRefusal,
  type MediaStats,
  type VoiceMedia
} from "../media/VoiceMedia.ts"
import { type AudioOffer, readOffer } from "../werift/AudioSdp.ts"
import { JanusCall, type JanusParticipant } from "./JanusCall.ts"
import { JanusConnection, type JanusSettings, type JanusTold } from "./JanusConnection.ts"
import { type Feed, JanusListener } from "./JanusListener.ts"
import { type JanusRoom, JanusRooms } from "./JanusRooms.ts"
import { microphoneAnswer, microphoneOffer, midsIn, slotsAnswer } from "./JanusSdp.ts"

interface Opened {
  readonly room: JanusRoom
  readonly silence: Feed
  readonly call: JanusCall
}

interface Used {
  readonly opened: Promise<Opened>
  users: number
}

/** Somebody on the way into a call. */
interface Entering {
  readonly id: number
  readonly read: AudioOffer
  readonly groups: VoiceGroups
  readonly feed: Feed | null
}

interface Publishing {
  readonly id: number
  readonly room: JanusRoom
  readonly sdp: string
}

interface Present {
  readonly number: number
  readonly call: JanusCall
  readonly participant: JanusParticipant
  readonly microphone: number | null
  readonly speaker: number
  /** The lines of the last offer of the slots. */
  mids: ReadonlyArray<string>
}

/** How Janus is to hear that somebody speaks, as `Speech` does. */
const hearing = {
  audiolevel_ext: true,
  audiolevel_event: true,
  // 100 ms.
  audio_active_packets: 5,
  audio_level_average: 55
}

/** Calls in rooms of Janus, whose plugin videoroom forwards the sound. Source: C-899. */
export class JanusMedia implements VoiceMedia {
  readonly #listener: MediaListener
  readonly #janus: JanusConnection
  readonly #rooms: JanusRooms
  readonly #calls = new Map<number, Used>()
  readonly #present = new Map<number, Present>()
  readonly #byHandle = new Map<number, Present>()
  /** Those who have no answer yet. */
  readonly #joining = new Set<number>()
  readonly #leaving = new Set<Promise<unknown>>()

  constructor(settings: JanusSettings, listener: MediaListener) {
    this.#listener = listener
    this.#janus = new JanusConnection(settings, {
      told: (handle, told) => this.#told(handle, told),
      hungUp: (handle) => this.#hungUp(handle),
      lost: (why) => listener.lost(why)
    })
    this.#rooms = new JanusRooms(this.#janus, settings.secret)
  }

  async join(id: number, { call, offer, groups }: MediaJoin): Promise<string> {
    const read = readOffer(offer)
    const wanted = microphoneOffer(read)
    this.#joining.add(id)
    const opened = this.#enter(call)
    const handles: Array<number> = []
    try {
      const { room, silence, call: joined } = await opened
      const attach = async (): Promise<number> => {
        const handle = await this.#janus.attach()
        handles.push(handle)
        return handle
      }
      const microphone =
        wanted === null ? null : await this.#publish(await attach(), { id, room, sdp: wanted })
      const slots = await this.#subscribe(await attach(), room, silence)
      if (!this.#joining.delete(id)) {
        throw new MediaRefusal("E_VOICE_FULL", "voice: the participant left while it joined")
      }
      const feed = microphone?.feed ?? null
      const participant = this.#participant({ id, read, groups, feed }, slots.handle, silence)
      const present: Present = {
        number: call,
        call: joined,
        participant,
        microphone: microphone?.handle ?? null,
        speaker: slots.handle,
        mids: []
      }
      this.#present.set(id, present)
      for (const handle of handles) this.#byHandle.set(handle, present)
      joined.add(participant)
      // The client has to know the answer first.
      setImmediate(() => this.#offer(present, slots.offer))
      return microphoneAnswer(read, microphone?.answer ?? null)
    } catch (error) {
      this.#joining.delete(id)
      this.#behind(this.#gone(call, handles))
      throw error
    }
  }

  answer(id: number, answer: string): void {
    const present = this.#present.get(id)
    if (present === undefined) return
    const { speaker, mids, participant } = present
    const started = async (): Promise<void> => {
      const sdp = slotsAnswer(answer, mids)
      await this.#janus.request(speaker, { request: "start" }, { type: "answer", sdp })
      await participant.listener.begin(mids)
    }
    // A client whose answer is none hears nobody.
    started().catch(() => {})
  }

  leave(id: number): void {
    this.#joining.delete(id)
    const present = this.#present.get(id)
    if (present === undefined) return
    this.#present.delete(id)
    this.#behind(this.#left(present))
  }

  setGroups(id: number, groups: VoiceGroups): void {
    const present = this.#present.get(id)
    if (present === undefined) return
    present.participant.groups = groups
    void present.call.arrange()
  }

  stats(): MediaStats {
    return { participants: this.#present.size }
  }

  async close(): Promise<void> {
    for (const id of this.#present.keys()) this.leave(id)
    this.#rooms.end()
    await Promise.all(this.#leaving)
    this.#janus.close()
  }

  /** What ends is waited for by the end of all. Without Janus it has ended anyway. */
  #behind(ending: Promise<unknown>): void {
    const left = ending.catch(() => {}).finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }

  #participant(
    { id, read, groups, feed }: Entering,
    speaker: number,
    silence: Feed
  ): JanusParticipant {
    const count = read.slots.length
    const listener = new JanusListener(count, silence, async (streams) => {
      const { jsep } = await this.#janus.request(speaker, { request: "switch", streams })
      const present = this.#present.get(id)
      // A line whose feed went by itself is made anew.
      if (jsep?.type === "offer" && present !== undefined) this.#offer(present, jsep.sdp)
    })
    return { id, feed, listener, groups, slots: emptySlots(count), loudness: null, quiet: null }
  }

  /** The call's room, opened for its first participant. */
  #enter(number: number): Promise<Opened> {
    const used = this.#calls.get(number) ?? { opened: this.#open(), users: 0 }
    used.users++
    this.#calls.set(number, used)
    return used.opened
  }

  async #open(): Promise<Opened> {
    const { room, silent } = await this.#rooms.make({
      ...hearing,
      // Somebody who joins again is there twice for a moment.
      publishers: 2 * VoiceLimits.voiceParticipants.max,
      audiocodec: "opus",
      opus_fec: true,
      opus_dtx: true,
      // What a slot plays that has no speaker.
      dummy_publisher: true,
      dummy_streams: [{ codec: "opus" }]
    })
    const silence = { feed: silent, mid: "0" }
    const tell = (participant: number, slots: ReadonlyArray<number | null>): void =>
      this.#listener.slotsChanged(participant, slots)
    return { room, silence, call: new JanusCall(silence, tell) }
  }

  async #publish(handle: number, { id, room: { room, pin }, sdp }: Publishing) {
    const body = { request: "joinandconfigure", ptype: "publisher", room, pin, id, display: "" }
    const { data, jsep } = await this.#janus.request(handle, body, { type: "offer", sdp })
    const mid = midOf(data["streams"])
    if (jsep === null || mid === null) throw new Error("Janus: a join without an answer")
    return { handle, feed: { feed: id, mid }, answer: jsep.sdp }
  }

  async #subscribe(handle: number, { room, pin }: JanusRoom, silence: Feed) {
    const streams = Array.from({ length: VoiceLimits.voiceSlots.max }, () => silence)
    const body = { request: "join", ptype: "subscriber", room, pin, autoupdate: false, streams }
    const { jsep } = await this.#janus.request(handle, body)
    if (jsep === null) throw new Error("Janus: a subscription without an offer")
    return { handle, offer: jsep.sdp }
  }

  #offer(present: Present, offer: string): void {
    const { id } = present.participant
    if (this.#present.get(id) !== present) return
    present.mids = midsIn(offer)
    this.#listener.offered(id, offer)
  }

  async #left({ number, call, participant, microphone, speaker }: Present): Promise<void> {
    // A feed that goes while somebody plays it takes the line along.
    await call.remove(participant)
    await this.#gone(number, microphone === null ? [speaker] : [microphone, speaker])
  }

  /** Somebody is in the call no more: its last one takes the room along. */
  async #gone(number: number, handles: ReadonlyArray<number>): Promise<void> {
    for (const handle of handles) this.#byHandle.delete(handle)
    const used = this.#calls.get(number)
    if (used !== undefined && --used.users === 0) this.#calls.delete(number)
    await Promise.all(handles.map((handle) => this.#janus.detach(handle)))
    if (used === undefined || used.users > 0) return
    await this.#rooms.remove((await used.opened).room)
  }

  #told(handle: number, { data, jsep }: JanusTold): void {
    const present = this.#byHandle.get(handle)
    if (present === undefined) return
    if (handle === present.speaker && jsep?.type === "offer") return this.#offer(present, jsep.sdp)
    const { call, participant } = present
    // Each participant of the room is told of each speaker.
    if (handle !== present.microphone || data["id"] !== participant.id) return
    const { videoroom } = data
    if (videoroom === "talking")
      return call.speaks(participant, Number(data["audio-level-dBov-avg"]))
    if (videoroom === "stopped-talking") call.ceases(participant)
  }

  /** The microphone's connection has ended: its client joins again. */
  #hungUp(handle: number): void {
    const present = this.#byHandle.get(handle)
    if (present?.microphone === handle) present.call.ceases(present.participant)
  }
}

const recordsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.map((each) => ({ ...each })) : []

const midOf = (streams: unknown): string | null => {
  const mid = recordsIn(streams)[0]?.["mid"]
  return typeof mid === "string" ? mid : null
}
