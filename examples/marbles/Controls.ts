import type { Spot } from "./Camera.ts"
import { type Heading, shortened } from "./World.ts"

const Keys: Readonly<Record<string, Heading>> = {
  ArrowLeft: { x: -1, z: 0 },
  KeyA: { x: -1, z: 0 },
  ArrowRight: { x: 1, z: 0 },
  KeyD: { x: 1, z: 0 },
  ArrowUp: { x: 0, z: -1 },
  KeyW: { x: 0, z: -1 },
  ArrowDown: { x: 0, z: 1 },
  KeyS: { x: 0, z: 1 }
}
/** A finger that is so far from where it came down steers with full force. */
const StickUnits = 56

interface Elements {
  readonly canvas: HTMLCanvasElement
  /** The button of touch screens. */
  readonly shoot: HTMLButtonElement
}

/** What the player does: keys, mouse and fingers. */
export class Controls {
  /** Where the mouse points; `null` = it was not used last: then shots go to the nearest marble. */
  aim: Spot | null = null
  readonly #pressed = new Set<string>()
  #stick: { readonly pointer: number; readonly from: Spot; to: Spot } | null = null

  /** @param onShoot hears of each shot that the player wants */
  constructor({ canvas, shoot }: Elements, onShoot: () => void) {
    document.addEventListener("keydown", (event) => this.#keyDown(event, onShoot))
    document.addEventListener("keyup", ({ code }) => this.#pressed.delete(code))
    // Keys that are let go elsewhere are not heard.
    window.addEventListener("blur", () => this.#pressed.clear())
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.aim = spotOf(event)
      else if (this.#stick?.pointer === event.pointerId) this.#stick.to = spotOf(event)
    })
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") {
        this.aim = spotOf(event)
        if (event.button === 0) onShoot()
        return
      }
      this.aim = null
      if (this.#stick !== null) return
      canvas.setPointerCapture(event.pointerId)
      this.#stick = { pointer: event.pointerId, from: spotOf(event), to: spotOf(event) }
    })
    canvas.addEventListener("lostpointercapture", ({ pointerId }) => {
      if (this.#stick?.pointer === pointerId) this.#stick = null
    })
    shoot.addEventListener("pointerdown", (event) => {
      event.preventDefault()
      this.aim = null
      onShoot()
    })
  }

  /** Where the player steers. */
  get heading(): Heading {
    return shortened(this.#stick === null ? this.#keys() : stickOf(this.#stick))
  }

  #keys(): Heading {
    const keys = [...this.#pressed].flatMap((code) => Keys[code] ?? [])
    return keys.reduce((a, b) => ({ x: a.x + b.x, z: a.z + b.z }), { x: 0, z: 0 })
  }

  #keyDown(event: KeyboardEvent, onShoot: () => void): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isShot = event.code === "Space" && !(event.target instanceof HTMLInputElement)
    if (!isShot && Keys[event.code] === undefined) return
    event.preventDefault()
    if (!isShot) this.#pressed.add(event.code)
    else if (!event.repeat) onShoot()
  }
}

const spotOf = ({ offsetX, offsetY }: PointerEvent): Spot => ({ left: offsetX, top: offsetY })

const stickOf = ({ from, to }: { readonly from: Spot; readonly to: Spot }): Heading => ({
  x: (to.left - from.left) / StickUnits,
  z: (to.top - from.top) / StickUnits
})
