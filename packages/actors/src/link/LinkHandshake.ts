import { createHmac, timingSafeEqual } from "node:crypto"

import { commonVersion, type ProtocolVersions, runnerProtocol } from "../cluster/RunnerProtocol.ts"
import { LinkFault } from "./LinkFrames.ts"

/*
 * Both sides of a link prove that they have the key of this service's links, which comes from the master key:
 * the entry runner sends `hello` (magic, its oldest and its newest version, a fresh nonce), the other runner
 * `challenge` (the version that it chose, a fresh nonce, its proof), the entry runner `proof`. A proof is an
 * HMAC-SHA256 of the side, the version and both nonces: nothing that was heard before is one.
 */

const magic = Buffer.from("atrium link")
const nonceBytes = 32
const proofBytes = 32

/** The secret and the chance of one handshake. */
export interface HandshakeParts {
  readonly key: Uint8Array
  /** 32 fresh random bytes. */
  readonly nonce: Uint8Array
  /** Absent = those of this program. */
  readonly versions?: ProtocolVersions | undefined
}

/** The side of the runner that opens a link. */
export class EntryHandshake {
  readonly #parts: HandshakeParts
  readonly #versions: ProtocolVersions
  /** The version that the other runner chose; 0 = none yet. */
  version = 0

  constructor(parts: HandshakeParts) {
    this.#parts = parts
    this.#versions = parts.versions ?? runnerProtocol
  }

  hello(): Buffer {
    const { oldest, newest } = this.#versions
    return Buffer.concat([magic, Buffer.from([oldest, newest]), this.#parts.nonce])
  }

  /** @returns the entry runner's own proof. Errors: {@link LinkFault}: the peer does not have the key. */
  challenged(bytes: Buffer): Buffer {
    if (bytes.length !== 1 + nonceBytes + proofBytes)
      throw new LinkFault("a challenge has 65 bytes")
    const version = bytes[0] ?? 0
    const { oldest, newest } = this.#versions
    if (version < oldest || version > newest)
      throw new LinkFault(`version ${version} was not offered`)
    const { key, nonce: entryNonce } = this.#parts
    const proven = { key, version, entryNonce, roomNonce: bytes.subarray(1, 1 + nonceBytes) }
    prove("room", proven, bytes.subarray(1 + nonceBytes))
    this.version = version
    return proofOf("entry", proven)
  }
}

/** The side of the runner whose rooms are reached. */
export class RoomHandshake {
  readonly #parts: HandshakeParts
  readonly #versions: ProtocolVersions
  #proven: Proven | null = null

  constructor(parts: HandshakeParts) {
    this.#parts = parts
    this.#versions = parts.versions ?? runnerProtocol
  }

  /** @returns the challenge. Errors: {@link LinkFault}: the peer is no runner, or too old or new. */
  greeted(bytes: Buffer): Buffer {
    if (bytes.length !== magic.length + 2 + nonceBytes || this.#proven !== null) {
      throw new LinkFault("the first frame is no hello of a runner")
    }
    if (!bytes.subarray(0, magic.length).equals(magic)) throw new LinkFault("the peer is no runner")
    const oldest = bytes[magic.length] ?? 0
    const newest = bytes[magic.length + 1] ?? 0
    const version = commonVersion({ oldest, newest }, this.#versions)
    if (version === null) {
      throw new LinkFault(`the peer speaks versions ${oldest} to ${newest} of the link`)
    }
    const { key, nonce: roomNonce } = this.#parts
    const entryNonce = Buffer.from(bytes.subarray(magic.length + 2))
    this.#proven = { key, version, entryNonce, roomNonce }
    return Buffer.concat([Buffer.from([version]), roomNonce, proofOf("room", this.#proven)])
  }

  /** @returns the version that both speak. Errors: {@link LinkFault}: the peer does not have the key. */
  proven(bytes: Buffer): number {
    if (this.#proven === null) throw new LinkFault("a proof before the hello")
    prove("entry", this.#proven, bytes)
    return this.#proven.version
  }
}

interface Proven {
  readonly key: Uint8Array
  readonly version: number
  readonly entryNonce: Uint8Array
  readonly roomNonce: Uint8Array
}

/** Each side proves itself by its own name, so a proof that is sent back to its sender proves nothing. */
const proofOf = (side: "entry" | "room", { key, version, entryNonce, roomNonce }: Proven): Buffer =>
  createHmac("sha256", key)
    .update(`atrium link ${side} ${version} `)
    .update(entryNonce)
    .update(roomNonce)
    .digest()

const prove = (side: "entry" | "room", proven: Proven, bytes: Buffer): void => {
  const right = proofOf(side, proven)
  if (bytes.length !== right.length || !timingSafeEqual(bytes, right)) {
    throw new LinkFault("the peer has another master key")
  }
}
