import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { makeBucket, takeToken } from "@atrium/wire/limits/TokenBucket"
import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { RtpHeader, type RtpPacket } from "werift"

import { emptySlots, type Slots } from "../media/Slots.ts"
import { SlotStream, type SpokenPacket, type StreamPlace } from "../media/SlotStream.ts"
import { Speech, UnknownLevel } from "../media/Speech.ts"
import type { AudioOffer } from "./AudioSdp.ts"
import { type IceNames, LiteIce, type Path } from "./LiteIce.ts"
import type { MediaPort, PortOwner } from "./MediaPort.ts"
import { Transport } from "./Transport.ts"

interface ParticipantParts {
  readonly id: number
  readonly offer: AudioOffer
  readonly names: IceNames
  readonly groups: VoiceGroups
  readonly nowMs: () => number
  /** Where the stream of a slot begins. */
  readonly startOf: () => StreamPlace
  /** The name of the stream of a slot. */
  readonly streamOf: () => number
  /** Gets each packet of the microphone. */
  readonly took: (packet: RtpPacket) => void
}

/** The first byte of RTP and RTCP. Source: RFC 7983. */
const isMedia = (first: number): boolean => first >= 128 && first < 192
/** Payload types of 64 to 95 are RTCP's. Source: RFC 5761. */
const isRtcp = (second: number): boolean => second >= 192 && second <= 223
const RtpHeadBytes = 12

/** A participant's connection: what comes of its microphone, and what goes into its slots. */
export class Participant implements PortOwner {
  readonly id: number
  readonly speech = new Speech()
  /** Speakers by slot. */
  slots: Slots
  groups: VoiceGroups
  port: MediaPort | null = null
  /** The RTP stream of each slot. */
  readonly streams: ReadonlyArray<number>
  readonly #parts: ParticipantParts
  readonly #ice: LiteIce
  readonly #transport: Transport
  readonly #slotStreams: ReadonlyArray<SlotStream>
  readonly #packets
  /** RTP streams of the client that were seen. */
  readonly #sources = new Set<number>()

  constructor(parts: ParticipantParts) {
    const { offer, nowMs } = parts
    this.id = parts.id
    this.groups = parts.groups
    this.slots = emptySlots(offer.slots.length)
    this.#parts = parts
    this.streams = offer.slots.map(parts.streamOf)
    this.#slotStreams = offer.slots.map(() => new SlotStream(parts.startOf()))
    this.#packets = makeBucket(VoiceMediaLimits.voicePackets, nowMs())
    this.#ice = new LiteIce(parts.names, nowMs, (data) => this.#came(data))
    this.#transport = new Transport((data) => void this.#ice.send(data), parts.took)
  }

  /** The port is open. */
  begin(port: MediaPort): void {
    this.port = port
    // A client that does not prove its certificate is never heard and hears nothing.
    this.#transport.start(this.#parts.offer.fingerprints).catch(() => undefined)
  }

  received(data: Buffer, path: Path): boolean {
    return this.#ice.received(data, path)
  }

  gone(key: string): void {
    this.#ice.gone(key)
  }

  /** The level of a packet, in dB below the loudest possible. */
  levelOf({ header }: RtpPacket): number {
    const levelId = this.#parts.offer.microphone?.levelId ?? null
    const level = header.extensions.find(({ id }) => id === levelId)?.payload[0]
    return level === undefined ? UnknownLevel : level & 0x7f
  }

  /** Puts a packet of a speaker into the slot that the speaker has. */
  hear(packet: RtpPacket, speaker: { readonly id: number; readonly spurt: number }): void {
    const slot = this.slots.indexOf(speaker.id)
    const stream = this.#slotStreams[slot]
    const line = this.#parts.offer.slots[slot]
    if (stream === undefined || line === undefined || !this.#transport.isUp) return
    const { sequenceNumber, timestamp } = packet.header
    const spoken: SpokenPacket = {
      speaker: speaker.id,
      spurt: speaker.spurt,
      sequenceNumber,
      timestamp
    }
    const place = stream.next(spoken, this.#parts.nowMs())
    if (place === null) return
    const header = new RtpHeader({
      payloadType: line.payloadType,
      sequenceNumber: place.sequenceNumber,
      timestamp: place.timestamp,
      marker: place.begins,
      ssrc: this.streams[slot] ?? 0
    })
    this.#transport.send(packet.payload, header)
  }

  end(): void {
    this.#transport.end()
  }

  /** Takes a packet from a proven path. Drops a packet that the client may not send before decrypting it. */
  #came(data: Buffer): void {
    const [first = 0, second = 0] = data
    if (!takeToken(this.#packets, VoiceMediaLimits.voicePackets, this.#parts.nowMs())) return
    if (isMedia(first) && (isRtcp(second) || !this.#isKnown(data))) return
    try {
      this.#transport.received(data)
    } catch {
      // A packet that cannot be read is the client's own.
    }
  }

  #isKnown(data: Buffer): boolean {
    if (data.length < RtpHeadBytes || this.#parts.offer.microphone === null) return false
    const source = data.readUInt32BE(8)
    if (this.#sources.size < VoiceMediaLimits.voiceStreams.max) this.#sources.add(source)
    return this.#sources.has(source)
  }
}
