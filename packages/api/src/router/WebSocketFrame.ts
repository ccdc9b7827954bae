/**
 * Frames of the WebSocket protocol that the service writes by itself: whole, binary, unmasked. A
 * broadcast is framed once and shared by all its receivers, which `ws.send` cannot do. Source:
 * RFC 6455 section 5.2; performance.md, "What is worth doing" 4.
 */
const finalBinary = 0x82

const headerBytes = (payloadBytes: number): number =>
  payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10

/** A payload with its header in front, in one buffer of its own. */
export const frameBinary = (payload: Uint8Array): Buffer => {
  const header = headerBytes(payload.length)
  const framed = Buffer.allocUnsafe(header + payload.length)
  framed[0] = finalBinary
  if (header === 2) framed[1] = payload.length
  else if (header === 4) {
    framed[1] = 126
    framed.writeUInt16BE(payload.length, 2)
  } else {
    framed[1] = 127
    framed.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  framed.set(payload, header)
  return framed
}

/** Frames a payload, or hands out the frame again when the same array comes next. */
export class FrameSharer {
  #payload: Uint8Array | null = null
  #framed: Buffer | null = null

  frame(payload: Uint8Array): Buffer {
    if (this.#framed !== null && this.#payload === payload) return this.#framed
    const framed = frameBinary(payload)
    this.#payload = payload
    this.#framed = framed
    return framed
  }
}
