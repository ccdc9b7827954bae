// The state of W2 and its bytes, written by hand: the least that a program without a library sends.

const bodies = 200
const fieldsPerBody = 4
export const tickEveryMs = 50

/** Four float32 for each body, and the ticks that have run. */
export class HandState {
  readonly values = new Float32Array(bodies * fieldsPerBody)
  tick = 0

  /** One tick: every value changes. */
  move(): void {
    this.tick++
    for (let at = 0; at < this.values.length; at++) this.values[at] = (this.values[at] ?? 0) + 0.25
  }
}

/** Tick and count, then per body its number and four float32. */
export const encodeFull = ({ tick, values }: HandState): Buffer => {
  const bytes = Buffer.allocUnsafe(8 + bodies * 18)
  bytes.writeUInt32LE(tick, 0)
  bytes.writeUInt32LE(bodies, 4)
  let at = 8
  for (let body = 0; body < bodies; body++) {
    at = bytes.writeUInt16LE(body, at)
    at = writeBody(bytes, at, values.subarray(body * fieldsPerBody))
  }
  return bytes
}

/** The same with a mask of what changed for each body: 3,808 bytes. */
export const encodeDelta = ({ tick, values }: HandState): Buffer => {
  const bytes = Buffer.allocUnsafe(8 + bodies * 19)
  bytes.writeUInt32LE(tick, 0)
  bytes.writeUInt32LE(bodies, 4)
  let at = 8
  for (let body = 0; body < bodies; body++) {
    at = bytes.writeUInt16LE(body, at)
    at = bytes.writeUInt8(0x0f, at)
    at = writeBody(bytes, at, values.subarray(body * fieldsPerBody))
  }
  return bytes
}

const writeBody = (bytes: Buffer, from: number, values: Float32Array): number => {
  let at = from
  for (let field = 0; field < fieldsPerBody; field++) {
    at = bytes.writeFloatLE(values[field] ?? 0, at)
  }
  return at
}
