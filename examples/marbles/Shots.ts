import type { Point } from "./Camera.ts"
import type { DrawnShot } from "./Picture.ts"
import { Bumpers, Disc, type Heading, MarbleRadius } from "./World.ts"

const ShownMs = 260

interface Shot {
  readonly seat: number
  readonly from: Point
  readonly to: Point
  readonly atMs: number
}

/** The shots that are seen now: at most one of each place. */
export class Shots {
  #all: ReadonlyArray<Shot> = []

  add(shot: Shot): void {
    this.#all = [...this.#all.filter(({ seat }) => seat !== shot.seat), shot]
  }

  shown(nowMs: number): ReadonlyArray<DrawnShot> {
    this.#all = this.#all.filter(({ atMs }) => nowMs < atMs + ShownMs)
    return this.#all.map(({ atMs, ...shot }) => ({
      ...shot,
      brightness: Math.min(1, Math.max(0, 1 - (nowMs - atMs) / ShownMs))
    }))
  }
}

/** The point that a shot reaches, by what this page draws: the room says later whether it has hit. */
export const reachOf = (from: Point, dir: Heading, marbles: ReadonlyArray<Point>): Point => {
  const bumpers = Bumpers.places.map(({ x, z }) => ({ x, y: Bumpers.y, z, radius: Bumpers.radius }))
  const balls = marbles.map(({ x, y, z }) => ({ x, y, z, radius: MarbleRadius }))
  const units = [...bumpers, ...balls].map(({ radius, ...at }) => {
    const [x, y, z] = [at.x - from.x, at.y - from.y, at.z - from.z]
    const along = x * dir.x + z * dir.z
    const inside = radius ** 2 - (x ** 2 + y ** 2 + z ** 2 - along ** 2)
    return along > 0 && inside > 0 ? along - Math.sqrt(inside) : Number.POSITIVE_INFINITY
  })
  const reached = Math.min(2 * Disc.radius, ...units)
  return { x: from.x + dir.x * reached, y: from.y, z: from.z + dir.z * reached }
}
