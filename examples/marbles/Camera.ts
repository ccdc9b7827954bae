import { Disc, type Heading } from "./World.ts"

export interface Point {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** A place on the page, in its units. */
export interface Spot {
  readonly left: number
  readonly top: number
}

/** Where the camera stands, and where it looks. Its right is the x axis. */
const Eye: Point = { x: 0, y: 18, z: 14.5 }
const Target: Point = { x: 0, y: -0.6, z: 0.5 }
/** How large the disc is at a focal length of 1: half its width, and half its height with what stands on it. */
const DiscWidth = 0.49
const DiscHeight = 0.42

const length = Math.hypot(Target.y - Eye.y, Target.z - Eye.z)
/** Into the picture, and up in it. */
const front: Point = { x: 0, y: (Target.y - Eye.y) / length, z: (Target.z - Eye.z) / length }
const up: Point = { x: 0, y: -front.z, z: front.y }

/** A camera that shows the whole disc in a picture of any shape. */
export class Camera {
  readonly eye = Eye
  readonly front = front
  readonly up = up
  /** For a height of 2. */
  focal = 1
  #width = 1
  #height = 1

  resize(width: number, height: number): void {
    this.#width = width
    this.#height = height
    this.focal = Math.min((0.94 * width) / height / DiscWidth, 0.78 / DiscHeight)
  }

  /** Where a point is on the page. */
  spotOf(point: Point): Spot {
    const [y, z] = [point.y - Eye.y, point.z - Eye.z]
    const share = (this.focal * this.#height) / 2 / (y * front.y + z * front.z)
    return {
      left: this.#width / 2 + (point.x - Eye.x) * share,
      top: this.#height / 2 - (y * up.y + z * up.z) * share
    }
  }

  /** The place on the disc that is seen at a spot of the page; `null` = the sky. */
  placeAt({ left, top }: Spot): Heading | null {
    const x = (2 * left - this.#width) / this.#height
    const y = (this.#height - 2 * top) / this.#height
    const down = y * up.y + this.focal * front.y
    if (down >= 0) return null
    const share = -Eye.y / down
    const place = { x: x * share, z: Eye.z + (y * up.z + this.focal * front.z) * share }
    return Math.hypot(place.x, place.z) < 4 * Disc.radius ? place : null
  }
}
