import { PoseWords, putTurn, rotationAt, turned } from "../physics/PoseLayout.ts"
import type { Around } from "./PoseTrail.ts"

/** Writes the pose at a moment between two. */
export const blend = (
  out: Float32Array,
  { before, after, share }: Around,
  dimensions: 2 | 3
): void => {
  for (let word = 0; word < out.length; word++) {
    const from = before[word] ?? 0
    out[word] = from + ((after[word] ?? 0) - from) * share
  }
  const { rotation } = PoseWords[dimensions]
  if (dimensions === 2) {
    const from = before[rotation] ?? 0
    out[rotation] = from + shortTurn((after[rotation] ?? 0) - from) * share
    return
  }
  // The nearer way around, then back to length 1.
  const sign = dot(before, after, rotation) < 0 ? -1 : 1
  for (let word = rotation; word < rotation + 4; word++) {
    out[word] = (before[word] ?? 0) * (1 - share) + sign * (after[word] ?? 0) * share
  }
  toLengthOne(out, rotation)
}

/** How far the places of two poses are apart. */
export const distance = (a: Float32Array, b: Float32Array, dimensions: 2 | 3): number =>
  apart(a, b, { at: PoseWords[dimensions].position, words: dimensions })

/** How far their velocities are apart. */
export const speedApart = (a: Float32Array, b: Float32Array, dimensions: 2 | 3): number =>
  apart(a, b, { at: PoseWords[dimensions].linvel, words: dimensions })

/** The angle between their rotations, in radians. */
export const angleApart = (a: Float32Array, b: Float32Array, dimensions: 2 | 3): number => {
  const { rotation } = PoseWords[dimensions]
  if (dimensions === 2) return Math.abs(shortTurn((a[rotation] ?? 0) - (b[rotation] ?? 0)))
  return 2 * Math.acos(Math.min(1, Math.abs(dot(a, b, rotation))))
}

/**
 * The difference of a drawn pose and the body's: added to the body's pose, it gives the drawn one. Place and rotation only.
 */
export const offsetOf = (
  out: Float32Array,
  { drawn, pose }: { readonly drawn: Float32Array; readonly pose: Float32Array },
  dimensions: 2 | 3
): void => {
  const { position, rotation } = PoseWords[dimensions]
  for (let word = position; word < position + dimensions; word++) {
    out[word] = (drawn[word] ?? 0) - (pose[word] ?? 0)
  }
  if (dimensions === 2) {
    out[rotation] = shortTurn((drawn[rotation] ?? 0) - (pose[rotation] ?? 0))
    return
  }
  const [x, y, z, w] = quaternion(pose, rotation)
  putTurn(out, rotation, turned(rotationAt(drawn, rotation, 3), { x: -x, y: -y, z: -z, w }))
}

/** The offset that is left when only `share` of it stays. */
export const shrink = (offset: Float32Array, share: number, dimensions: 2 | 3): void => {
  const { position, rotation } = PoseWords[dimensions]
  for (let word = position; word < position + dimensions; word++) {
    offset[word] = (offset[word] ?? 0) * share
  }
  if (dimensions === 2) {
    offset[rotation] = (offset[rotation] ?? 0) * share
    return
  }
  const sign = (offset[rotation + 3] ?? 1) < 0 ? -1 : 1
  for (let word = 0; word < 3; word++) {
    offset[rotation + word] = sign * (offset[rotation + word] ?? 0) * share
  }
  offset[rotation + 3] = sign * (offset[rotation + 3] ?? 1) * share + 1 - share
  toLengthOne(offset, rotation)
}

/** Adds an offset to a pose. */
export const shift = (pose: Float32Array, offset: Float32Array, dimensions: 2 | 3): void => {
  const { position, rotation } = PoseWords[dimensions]
  for (let word = position; word < position + dimensions; word++) {
    pose[word] = (pose[word] ?? 0) + (offset[word] ?? 0)
  }
  const by = rotationAt(offset, rotation, dimensions)
  putTurn(pose, rotation, turned(by, rotationAt(pose, rotation, dimensions)))
}

/** No offset. */
export const noOffset = (offset: Float32Array, dimensions: 2 | 3): void => {
  offset.fill(0)
  if (dimensions === 3) offset[PoseWords[3].rotation + 3] = 1
}

type Four = readonly [number, number, number, number]

const quaternion = (words: Float32Array, at: number): Four => [
  words[at] ?? 0,
  words[at + 1] ?? 0,
  words[at + 2] ?? 0,
  words[at + 3] ?? 1
]

/** The same turn, from -π to π. */
const shortTurn = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))

const dot = (a: Float32Array, b: Float32Array, at: number): number => {
  let sum = 0
  for (let word = at; word < at + 4; word++) sum += (a[word] ?? 0) * (b[word] ?? 0)
  return sum
}

const apart = (
  a: Float32Array,
  b: Float32Array,
  { at, words }: { readonly at: number; readonly words: number }
): number => {
  let sum = 0
  for (let word = at; word < at + words; word++) sum += ((a[word] ?? 0) - (b[word] ?? 0)) ** 2
  return Math.sqrt(sum)
}

const toLengthOne = (words: Float32Array, at: number): void => {
  const length = Math.hypot(...quaternion(words, at))
  // Two opposite rotations have nothing between them.
  if (length === 0) words[at + 3] = 1
  else for (let word = at; word < at + 4; word++) words[word] = (words[word] ?? 0) / length
}
