import type { ClientRoom } from "@atrium/sdk/client"

import { type arena, Plane } from "./schema.ts"

export type State = ClientRoom<typeof arena>["state"]
export type Player = NonNullable<ReturnType<State["players"]["get"]>>

export interface Point {
  readonly x: number
  readonly y: number
}

const Animals = ["Otter", "Heron", "Badger", "Lynx", "Swift", "Newt", "Robin", "Hare"] as const
/** A shown player has almost reached its true place after three times this. */
const EaseMs = 60
const TickMs = 50
/** Units around the plane, so that a player at its edge is seen whole. */
const Margin = 3
const Shown = { width: Plane.width + 2 * Margin, height: Plane.height + 2 * Margin }

/** A player without a name is called by an animal, the same one on every page and on every day. */
export const nameOf = ({ playerId, name }: Player): string =>
  name === "guest" ? animalOf(playerId) : name

export const animalOf = (playerId: string): string => {
  const sum = [...playerId].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7)
  return `${Animals[sum % Animals.length]} ${1 + ((sum >>> 3) % 99)}`
}

export const colourOf = ({ id }: Player): string => `hsl(${Math.round(id * 137.5) % 360} 85% 66%)`

/** Draws the plane. Players glide between the 20 places a second that the room tells. */
export class Field {
  readonly #canvas: HTMLCanvasElement
  readonly #pen: CanvasRenderingContext2D
  readonly #shown = new Map<number, Point>()

  constructor(canvas: HTMLCanvasElement) {
    const pen = canvas.getContext("2d")
    if (pen === null) throw new Error("this browser has no canvas")
    this.#canvas = canvas
    this.#pen = pen
  }

  /** Where a pointer is on the plane. */
  pointOf(at: { readonly clientX: number; readonly clientY: number }): Point {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect()
    return {
      x: ((at.clientX - left) / width) * Shown.width - Margin,
      y: ((at.clientY - top) / height) * Shown.height - Margin
    }
  }

  draw(state: State, own: Player | undefined, elapsedMs: number): void {
    this.#fit()
    this.#ground()
    for (const coin of state.coins) this.#coin(coin)
    for (const player of state.players) {
      const at = this.#glide(player, elapsedMs)
      this.#player(player, at, player.id === own?.id)
      if (player.id === state.score.leader) this.#star(at)
    }
    for (const id of this.#shown.keys()) {
      if (state.players.get(id) === undefined) this.#shown.delete(id)
    }
  }

  #glide(player: Player, elapsedMs: number): Point {
    const before = this.#shown.get(player.id) ?? player
    // A player who has just come into sight, or whose page slept, stands where the room says.
    const share = elapsedMs > 10 * TickMs ? 1 : 1 - Math.exp(-elapsedMs / EaseMs)
    const now = {
      x: before.x + (player.x - before.x) * share,
      y: before.y + (player.y - before.y) * share
    }
    this.#shown.set(player.id, now)
    return now
  }

  #ground(): void {
    const pen = this.#pen
    pen.fillStyle = "#0f1526"
    pen.fillRect(-Margin, -Margin, Shown.width, Shown.height)
    pen.fillStyle = "#131a2e"
    pen.fillRect(0, 0, Plane.width, Plane.height)
    pen.strokeStyle = "#1d2742"
    pen.lineWidth = 0.15
    pen.beginPath()
    for (let x = 10; x < Plane.width; x += 10) {
      pen.moveTo(x, 0)
      pen.lineTo(x, Plane.height)
    }
    for (let y = 10; y < Plane.height; y += 10) {
      pen.moveTo(0, y)
      pen.lineTo(Plane.width, y)
    }
    pen.stroke()
  }

  #coin(at: Point): void {
    this.#disc(at, 1.5, "rgb(255 203 77 / 16%)")
    this.#disc(at, 0.9, "#ffcb4d")
    this.#disc(at, 0.5, "#ffe6a3")
  }

  #player(player: Player, at: Point, own: boolean): void {
    const pen = this.#pen
    const colour = colourOf(player)
    pen.globalAlpha = player.away ? 0.35 : 1
    if (own) {
      pen.strokeStyle = "#fff"
      pen.lineWidth = 0.3
      pen.beginPath()
      pen.arc(at.x, at.y, 2.1, 0, 2 * Math.PI)
      pen.stroke()
    }
    this.#disc(at, 1.5, colour)
    // The eye looks where the player is heading.
    this.#disc({ x: at.x + player.dx * 0.7, y: at.y + player.dy * 0.7 }, 0.5, "#0e1220")
    pen.font = "600 1.9px system-ui, sans-serif"
    pen.textAlign = "center"
    pen.fillStyle = colour
    const name = own ? "you" : nameOf(player)
    const side = pen.measureText(name).width / 2 - Margin
    const x = Math.min(Math.max(at.x, side), Plane.width - side)
    pen.fillText(name, x, at.y > 6 ? at.y - 3 : at.y + 4.6)
    pen.globalAlpha = 1
  }

  /** Above the leader's right shoulder. */
  #star({ x, y }: Point): void {
    const pen = this.#pen
    pen.fillStyle = "#ffcb4d"
    pen.beginPath()
    for (let corner = 0; corner < 10; corner += 1) {
      const radius = corner % 2 === 0 ? 1.1 : 0.45
      const angle = (corner * Math.PI) / 5 - Math.PI / 2
      pen.lineTo(x + 2.2 + radius * Math.cos(angle), y - 1.8 + radius * Math.sin(angle))
    }
    pen.fill()
  }

  #disc({ x, y }: Point, radius: number, colour: string): void {
    this.#pen.fillStyle = colour
    this.#pen.beginPath()
    this.#pen.arc(x, y, radius, 0, 2 * Math.PI)
    this.#pen.fill()
  }

  /** As many dots as the screen shows, and still the plane's own units. */
  #fit(): void {
    const { clientWidth } = this.#canvas
    const scale = (clientWidth * devicePixelRatio) / Shown.width
    const [width, height] = [Math.round(Shown.width * scale), Math.round(Shown.height * scale)]
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width
      this.#canvas.height = height
    }
    this.#pen.setTransform(scale, 0, 0, scale, Margin * scale, Margin * scale)
  }
}
