import type { RoomConversation, RoomEvent } from "../codec/RoomCodec.ts"
import { CallRefused, type SocketError } from "./SocketError.ts"

interface Waiting {
  readonly resolve: (answer: string) => void
  readonly reject: (cause: Error) => void
}

interface Wire {
  readonly conversation: RoomConversation
  readonly raw: (bytes: Uint8Array) => void
  /** Fails as a mismatch when it takes too long. */
  readonly within: <A>(what: string, answer: Promise<A>) => Promise<A>
}

/** A client's part in the voice call of its room. It says nothing there: the suite has no media. */
export class VoiceSide {
  readonly #wire: Wire
  #waiting: Waiting | null = null
  #ends = 0
  #participants: ReadonlyArray<string> = []

  constructor(wire: Wire) {
    this.#wire = wire
  }

  /** The SDP of the call; `CallRefused` when it says no. */
  async join(): Promise<string> {
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
    this.#wire.raw(this.#wire.conversation.voiceJoin(offer))
    return this.#wire.within("the answer of the call", answer)
  }

  leave(): void {
    this.#wire.raw(this.#wire.conversation.voiceLeave())
  }

  /** How often the call has put this client out. */
  ends(): number {
    return this.#ends
  }

  /** Who was in the call when it told last, this client included. */
  participants(): ReadonlyArray<string> {
    return this.#participants
  }

  /** Takes an event of a call; false = it is another's. */
  received(event: RoomEvent): boolean {
    switch (event.kind) {
      case "voiceJoined":
        this.#settled()?.resolve(event.answer)
        return true
      case "voiceRefused":
        this.#settled()?.reject(new CallRefused("a join to the call", event))
        return true
      case "voiceEnded":
        this.#ends++
        return true
      case "voiceParticipants":
        this.#participants = event.clientIds
        return true
      case "voice":
        return true
      default:
        return false
    }
  }

  giveUp(why: SocketError): void {
    this.#settled()?.reject(new CallRefused("a join to the call", why))
  }

  #settled(): Waiting | null {
    const waiting = this.#waiting
    this.#waiting = null
    return waiting
  }
}

const fingerprint = Array.from({ length: 32 }, () => "A1").join(":")

const audioLine = (mid: number, direction: string): ReadonlyArray<string> => [
  "m=audio 9 UDP/TLS/RTP/SAVPF 111",
  "c=IN IP4 0.0.0.0",
  `a=mid:${mid}`,
  "a=ice-ufrag:suite",
  "a=ice-pwd:suitesuitesuitesuitesuite",
  `a=fingerprint:sha-256 ${fingerprint}`,
  "a=setup:actpass",
  "a=rtcp-mux",
  "a=rtpmap:111 opus/48000/2",
  "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
  `a=${direction}`
]

/** A microphone, and lines to hear three others, as a browser offers them. */
const offer = [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0 1 2 3",
  ...["sendonly", "recvonly", "recvonly", "recvonly"].flatMap((direction, mid) =>
    audioLine(mid, direction)
  ),
  ""
].join("\r\n")
