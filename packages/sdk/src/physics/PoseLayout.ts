import { type Body, type Quaternion, type Rotation, type Vector } from "./Rapier.ts"

/** Where in the words of a pose each part begins. A word has 4 bytes: all that Rapier knows of a body has 32 bits. */
export const PoseWords = {
  2: { position: 0, rotation: 2, linvel: 3, angvel: 5, force: 6, torque: 8, com: 9, mass: 11 },
  3: { position: 0, rotation: 3, linvel: 7, angvel: 10, force: 13, torque: 16, com: 19, mass: 22 }
} as const

/** Number of words for place, rotation and velocities. The words after them are in the history alone. */
export const MovingWords = { 2: PoseWords[2].force, 3: PoseWords[3].force } as const

/** Words of a body in the history: a pose, then the id of its entity, then whether it slept. */
export const RecordWords = { 2: PoseWords[2].mass + 3, 3: PoseWords[3].mass + 3 } as const

/** Writes the place, the rotation and the velocities of a body. */
export const readMoving = (body: Body, out: Float32Array, dimensions: 2 | 3): void => {
  const at = PoseWords[dimensions]
  putVector(out, at.position, body.translation())
  putTurn(out, at.rotation, body.rotation())
  putVector(out, at.linvel, body.linvel())
  putTurn(out, at.angvel, body.angvel())
}

/** Writes the words that only the history has: force, torque, centre of mass and mass. */
export const readRest = (body: Body, out: Float32Array, dimensions: 2 | 3): void => {
  const at = PoseWords[dimensions]
  putVector(out, at.force, body.userForce())
  putTurn(out, at.torque, body.userTorque())
  putVector(out, at.com, body.worldCom())
  out[at.mass] = body.mass()
}

/** A vector as Rapier takes it: without `z` in two dimensions. */
export const vectorAt = (words: Float32Array, at: number, dimensions: 2 | 3): Vector => {
  const [x = 0, y = 0, z = 0] = words.subarray(at, at + dimensions)
  return dimensions === 3 ? { x, y, z } : { x, y }
}

export const rotationAt = (words: Float32Array, at: number, dimensions: 2 | 3): Rotation => {
  const [x = 0, y = 0, z = 0, w = 0] = words.subarray(at, at + 4)
  return dimensions === 3 ? { x, y, z, w } : x
}

export const spinAt = (words: Float32Array, at: number, dimensions: 2 | 3): number | Vector =>
  dimensions === 3 ? vectorAt(words, at, 3) : (words[at] ?? 0)

/** Whether an entity's quaternion still has its default, four zeros, which is no rotation. */
export const isNoRotation = (words: Float32Array, dimensions: 2 | 3): boolean => {
  if (dimensions === 2) return false
  const { rotation } = PoseWords[3]
  return words.subarray(rotation, rotation + 4).every((value) => value === 0)
}

/** A rotation by a quaternion, or in two dimensions by an angle. */
export const rotated = (by: Rotation, { x, y, z = 0 }: Vector): Vector => {
  if (typeof by === "number") {
    const [sin, cos] = [Math.sin(by), Math.cos(by)]
    return { x: cos * x - sin * y, y: sin * x + cos * y }
  }
  // v + 2w(q × v) + 2q × (q × v)
  const tx = 2 * (by.y * z - by.z * y)
  const ty = 2 * (by.z * x - by.x * z)
  const tz = 2 * (by.x * y - by.y * x)
  return {
    x: x + by.w * tx + by.y * tz - by.z * ty,
    y: y + by.w * ty + by.z * tx - by.x * tz,
    z: z + by.w * tz + by.x * ty - by.y * tx
  }
}

/** First `inner`, then `outer`. */
export const turned = (outer: Rotation, inner: Rotation): Rotation => {
  if (typeof outer === "number") return typeof inner === "number" ? outer + inner : outer
  return typeof inner === "number" ? outer : product(outer, inner)
}

const product = (a: Quaternion, b: Quaternion): Quaternion => ({
  x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
  y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
  z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
  w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z
})

const putVector = (out: Float32Array, at: number, { x, y, z }: Vector): void => {
  out[at] = x
  out[at + 1] = y
  if (z !== undefined) out[at + 2] = z
}

/** Writes a rotation, an angular velocity or a torque. */
export const putTurn = (
  out: Float32Array,
  at: number,
  turn: number | Vector | Quaternion
): void => {
  if (typeof turn === "number") {
    out[at] = turn
    return
  }
  putVector(out, at, turn)
  if ("w" in turn) out[at + 3] = turn.w
}
