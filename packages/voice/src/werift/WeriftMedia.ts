import { randomBytes, randomInt } from "node:crypto"

import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import type { RtpPacket } from "werift"

import {
  type MediaJoin,
  type MediaListener,
  MediaRefusal,
  type MediaStats,
  type VoiceMedia
} from "../media/VoiceMedia.ts"
import { readOffer, writeAnswer } from "./AudioSdp.ts"
import { Call } from "./Call.ts"
import { type MediaPort, openPort } from "./MediaPort.ts"
import { Participant } from "./Participant.ts"
import { ownFingerprint } from "./Transport.ts"

export interface WeriftSettings {
  /** The address to bind. */
  readonly host: string
  /** The addresses at which clients reach it. */
  readonly addresses: ReadonlyArray<string>
  readonly ports: { readonly min: number; readonly max: number }
}

/** How often calls look for speakers that have ceased without a word. */
const LookMs = 100

/** Calls within this process, over a port of UDP and TCP for each participant. */
export class WeriftMedia implements VoiceMedia {
  readonly #settings: WeriftSettings
  readonly #listener: MediaListener
  readonly #nowMs: () => number
  readonly #calls = new Map<number, Call>()
  readonly #participants = new Map<number, Participant>()
  /** Those whose port is not open yet. */
  readonly #joining = new Set<number>()
  readonly #busyPorts = new Set<number>()
  readonly #closing = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  #nextPort: number

  constructor(settings: WeriftSettings, listener: MediaListener, nowMs: () => number) {
    this.#settings = settings
    this.#listener = listener
    this.#nowMs = nowMs
    this.#nextPort = settings.ports.min
    this.#timer = setInterval(() => {
      for (const call of this.#calls.values()) call.look(nowMs())
    }, LookMs)
    this.#timer.unref()
  }

  async join(id: number, { call, offer, groups }: MediaJoin): Promise<string> {
    const read = readOffer(offer)
    this.#joining.add(id)
    const fingerprint = await ownFingerprint()
    const names = {
      ufrag: randomBytes(6).toString("hex"),
      password: randomBytes(18).toString("hex"),
      remoteUfrag: read.ufrag
    }
    const participant = new Participant({
      id,
      offer: read,
      names,
      groups,
      nowMs: this.#nowMs,
      startOf: () => ({ sequenceNumber: randomInt(0x8000), timestamp: randomInt(2 ** 32) }),
      streamOf: () => randomInt(1, 2 ** 32),
      took: (packet) => this.#took(call, id, packet)
    })
    const port = await this.#openPort(participant)
    const isThere = this.#joining.delete(id)
    if (port === null || !isThere) {
      participant.end()
      if (port === null) {
        throw new MediaRefusal("E_VOICE_FULL", "voice: every port of the range is taken")
      }
      await this.#free(port)
      throw new MediaRefusal(
        "E_VOICE_FULL",
        "voice: the participant left while its port was opened"
      )
    }
    this.#participants.set(id, participant)
    participant.begin(port)
    this.#callOf(call).add(participant)
    return writeAnswer(read, {
      ...names,
      fingerprint,
      addresses: this.#settings.addresses,
      port: port.number,
      streams: participant.streams
    })
  }

  /** It offers nothing. */
  answer(): void {}

  leave(id: number): void {
    this.#joining.delete(id)
    const participant = this.#participants.get(id)
    if (participant === undefined) return
    this.#participants.delete(id)
    for (const [number, call] of this.#calls) {
      call.remove(participant)
      if (call.size === 0) this.#calls.delete(number)
    }
    const { port } = participant
    participant.end()
    if (port !== null) void this.#free(port)
  }

  setGroups(id: number, groups: VoiceGroups): void {
    const participant = this.#participants.get(id)
    if (participant === undefined) return
    participant.groups = groups
    for (const call of this.#calls.values()) if (call.has(participant)) call.arrange()
  }

  stats(): MediaStats {
    return { participants: this.#participants.size }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const id of [...this.#participants.keys(), ...this.#joining]) this.leave(id)
    await Promise.all(this.#closing)
  }

  #callOf(number: number): Call {
    const known = this.#calls.get(number)
    if (known !== undefined) return known
    const made = new Call((participant, slots) => this.#listener.slotsChanged(participant, slots))
    this.#calls.set(number, made)
    return made
  }

  #took(number: number, id: number, packet: RtpPacket): void {
    const participant = this.#participants.get(id)
    const call = this.#calls.get(number)
    if (participant === undefined || call === undefined) return
    call.forward(participant, packet, this.#nowMs())
  }

  /** Opens the next free port, in rotation: late packets may still arrive at a port that was just freed. */
  async #openPort(participant: Participant): Promise<MediaPort | null> {
    const { host, ports } = this.#settings
    for (let tried = ports.min; tried <= ports.max; tried++) {
      const number = this.#nextPort
      this.#nextPort = number === ports.max ? ports.min : number + 1
      if (this.#busyPorts.has(number)) continue
      this.#busyPorts.add(number)
      const port = await openPort(host, number, participant)
      if (port !== null) return port
      this.#busyPorts.delete(number)
    }
    return null
  }

  async #free(port: MediaPort): Promise<void> {
    const closing = port.close().then(() => void this.#busyPorts.delete(port.number))
    this.#closing.add(closing)
    await closing
    this.#closing.delete(closing)
  }
}
