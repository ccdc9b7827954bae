import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { Message, parseMessage } from "werift"

/** A way to a client: its address over UDP, or a TCP connection. */
export interface Path {
  /** Names the path among all paths to a port. */
  readonly key: string
  readonly address: string
  readonly port: number
  send(data: Buffer): void
}

/** The ICE credentials of both sides of a connection. */
export interface IceNames {
  readonly ufrag: string
  readonly password: string
  readonly remoteUfrag: string
}

interface Proven {
  path: Path
  checkedAtMs: number
}

// Of RFC 8489.
const BindingRequest = 0x0001
const Binding = 1
const SuccessResponse = 0x100
/** Packets that begin with a lower byte are STUN's. Source: RFC 7983. */
const StunBelow = 4

/**
 * The ICE of one participant, lite (RFC 8445): the client checks paths, and this side answers checks that
 * prove the password. It sends nothing to an address that no such check has come from, whatever addresses
 * an SDP names, and reads nothing else that comes from there. Source: C-891.
 */
export class LiteIce {
  readonly #username: Buffer
  readonly #password: Buffer
  readonly #nowMs: () => number
  readonly #take: (data: Buffer) => void
  /** The one that was checked longest ago is first. */
  readonly #proven = new Map<string, Proven>()
  /** The path that the client has chosen, or the last that it has checked. */
  #chosen: Proven | null = null

  /** @param take gets what comes over a proven path */
  constructor(names: IceNames, nowMs: () => number, take: (data: Buffer) => void) {
    this.#username = Buffer.from(`${names.ufrag}:${names.remoteUfrag}`)
    this.#password = Buffer.from(names.password)
    this.#nowMs = nowMs
    this.#take = take
  }

  /** @returns whether the path is proven */
  received(data: Buffer, path: Path): boolean {
    const [first] = data
    if (first === undefined || data.length > VoiceMediaLimits.voiceDatagramBytes.max) return false
    if (first < StunBelow) this.#checked(data, path)
    else if (this.#proven.has(path.key)) this.#take(data)
    return this.#proven.has(path.key)
  }

  /** Sends to the client; without a path that was checked of late nothing is sent. */
  send(data: Buffer): boolean {
    const chosen = this.#chosen
    const { ms } = VoiceMediaLimits.voiceConsent
    if (chosen === null || this.#nowMs() - chosen.checkedAtMs > ms) return false
    chosen.path.send(data)
    return true
  }

  /** A connection has ended. */
  gone(key: string): void {
    const proven = this.#proven.get(key)
    this.#proven.delete(key)
    if (proven === this.#chosen) this.#chosen = [...this.#proven.values()].at(-1) ?? null
  }

  #checked(data: Buffer, path: Path): void {
    // Cheaper than the proof of the password, which is for those who know the names.
    if (data.length < 20 || data.readUInt16BE(0) !== BindingRequest) return
    if (!data.includes(this.#username)) return
    const request = parseMessage(data, this.#password)
    if (request === undefined) return
    if (!this.#username.equals(Buffer.from(String(request.getAttributeValue("USERNAME"))))) return
    const proven = this.#prove(path)
    const isChosen = request.attributesKeys.includes("USE-CANDIDATE")
    if (isChosen || this.#chosen === null) this.#chosen = proven
    const response = new Message(Binding, SuccessResponse, request.transactionId)
      .setAttribute("XOR-MAPPED-ADDRESS", [path.address, path.port])
      // The types say that an attribute may be set on the repository only; it returns itself.
      .addMessageIntegrity(this.#password)
      .addFingerprint()
    path.send(response.bytes)
  }

  #prove(path: Path): Proven {
    const { key } = path
    const proven = this.#proven.get(key) ?? { path, checkedAtMs: 0 }
    proven.path = path
    proven.checkedAtMs = this.#nowMs()
    this.#proven.delete(key)
    this.#proven.set(key, proven)
    const oldest = [...this.#proven.values()].find((each) => each !== this.#chosen)
    if (this.#proven.size > VoiceMediaLimits.voicePaths.max && oldest !== undefined)
      this.#proven.delete(oldest.path.key)
    return proven
  }
}
