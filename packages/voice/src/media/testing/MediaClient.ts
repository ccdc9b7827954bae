import { until } from "@atrium/domain/testing/Until"
import { everybody, type VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"
import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
  useAudioLevelIndication
} from "werift"

import type { MediaListener, VoiceMedia } from "../VoiceMedia.ts"

/** A packet that came into a slot. */
export interface Heard {
  readonly slot: number
  readonly payload: number
  readonly sequenceNumber: number
  readonly begins: boolean
}

/** Much longer than a connection takes. */
const ConnectMs = 8_000

const LevelUri = /^a=extmap:(\d+) urn:ietf:params:rtp-hdrext:ssrc-audio-level\r?$/m

const opus = () =>
  new RTCRtpCodecParameters({
    mimeType: "audio/opus",
    clockRate: 48_000,
    channels: 2,
    payloadType: 111
  })

const settings = (): ConstructorParameters<typeof RTCPeerConnection>[0] => ({
  codecs: { audio: [opus()], video: [] },
  headerExtensions: { audio: [useAudioLevelIndication()], video: [] },
  // Without one werift asks a server of the internet.
  iceServers: [{ urls: "stun:127.0.0.1:9" }],
  iceStunGatherTimeout: 0.05,
  iceUseIpv6: false,
  iceAdditionalHostAddresses: ["127.0.0.1"],
  bundlePolicy: "max-bundle"
})

/** A client with a microphone, which says what a test wants it to. */
export class MediaClient {
  readonly heard: Array<Heard> = []
  /** Participants by slot, as the media told last. */
  slots: ReadonlyArray<number | null> = []
  readonly #peer = new RTCPeerConnection(settings())
  /** By which the media offer the slots, if not by the first one. */
  #further: RTCPeerConnection | null = null
  readonly #microphone = new MediaStreamTrack({ kind: "audio" })
  #levelId = 1
  #sequence = 100
  #timestamp = 5000

  /** @returns the offer of the client */
  async offer(): Promise<string> {
    this.#peer.addTransceiver(this.#microphone, { direction: "sendonly" })
    for (let slot = 0; slot < VoiceLimits.voiceSlots.max; slot++) {
      this.#peer.addTransceiver("audio", { direction: "recvonly" })
    }
    await this.#peer.setLocalDescription(await this.#peer.createOffer())
    return this.#peer.localDescription?.sdp ?? ""
  }

  /** @returns whether the media are connected in time; a client whose are not joins again */
  async accept(answer: string): Promise<boolean> {
    await this.#peer.setRemoteDescription({ type: "answer", sdp: answer })
    this.#levelId = Number(LevelUri.exec(answer)?.[1] ?? 1)
    this.#listen(this.#peer)
    const isConnected = () => this.#peer.connectionState === "connected"
    return until("the connection", isConnected, ConnectMs).catch(() => false)
  }

  /** @returns the answer of the client */
  async further(offer: string): Promise<string> {
    const isNew = this.#further === null
    const peer = this.#further ?? new RTCPeerConnection(settings())
    this.#further = peer
    await peer.setRemoteDescription({ type: "offer", sdp: offer })
    await peer.setLocalDescription(await peer.createAnswer())
    if (isNew) this.#listen(peer)
    return peer.localDescription?.sdp ?? ""
  }

  /** Says one packet of 20 ms. @param level dB below the loudest; `null` = the packet does not tell */
  say(payload: number, level: number | null = 20): void {
    this.#sequence++
    this.#timestamp += 960
    const header = new RtpHeader({
      payloadType: 111,
      sequenceNumber: this.#sequence,
      timestamp: this.#timestamp,
      ssrc: 1,
      extensions: level === null ? [] : [{ id: this.#levelId, payload: Buffer.from([level]) }]
    })
    this.#microphone.writeRtp(new RtpPacket(header, Buffer.alloc(20, payload)))
  }

  /** Payloads that came, by slot. */
  get heardIn(): ReadonlyArray<readonly [slot: number, payload: number]> {
    return this.heard.map(({ slot, payload }) => [slot, payload])
  }

  async close(): Promise<void> {
    await this.#peer.close()
    await this.#further?.close()
  }

  #listen(peer: RTCPeerConnection): void {
    const receiving = peer.getTransceivers().filter(({ direction }) => direction === "recvonly")
    for (const [slot, { receiver }] of receiving.entries()) {
      receiver.track.onReceiveRtp.subscribe(({ header, payload }) => {
        const { sequenceNumber, marker: begins } = header
        this.heard.push({ slot, payload: payload[0] ?? 0, sequenceNumber, begins })
      })
    }
  }
}

/** A call between clients of a test. */
export class MediaStage {
  readonly media: VoiceMedia
  /** Why the media were lost. */
  readonly lost: Array<string> = []
  readonly #clients = new Map<number, MediaClient>()
  #numbered = 0

  constructor(make: (listener: MediaListener) => VoiceMedia) {
    this.media = make({
      offered: (participant, offer) => void this.#further(participant, offer),
      slotsChanged: (participant, speakers) => {
        const client = this.#clients.get(participant)
        if (client !== undefined) client.slots = speakers
      },
      lost: (why) => void this.lost.push(why)
    })
  }

  /** A client that is in a call, connected. */
  async enter(
    call = 1,
    groups: VoiceGroups = everybody
  ): Promise<{ readonly id: number; readonly client: MediaClient }> {
    const id = ++this.#numbered
    const client = new MediaClient()
    this.#clients.set(id, client)
    const offer = await client.offer()
    const answer = await this.media.join(id, { call, offer, groups })
    if (await client.accept(answer)) return { id, client }
    // On a busy machine a handshake comes to nothing now and then: the client library joins again, too.
    this.media.leave(id)
    return this.enter(call, groups)
  }

  /** All say something at once, for so many packets of 20 ms. */
  async talk(
    says: ReadonlyArray<readonly [client: MediaClient, payload: number, level: number | null]>,
    packets = 10
  ): Promise<void> {
    for (let at = 0; at < packets; at++) {
      for (const [client, payload, level] of says) client.say(payload, level)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async #further(participant: number, offer: string): Promise<void> {
    const answer = await this.#clients.get(participant)?.further(offer)
    if (answer !== undefined) this.media.answer(participant, answer)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()))
    await this.media.close()
  }
}
