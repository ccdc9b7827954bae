import type { Camera, Point } from "./Camera.ts"
import { FragmentShader, VertexShader } from "./Shader.ts"

/** A marble as it is drawn. */
export interface DrawnMarble {
  readonly seat: number
  readonly away: boolean
  readonly position: Point
  readonly rotation: Point & { readonly w: number }
}

/** A shot as it is drawn. */
export interface DrawnShot {
  readonly seat: number
  readonly from: Point
  readonly to: Point
  /** From 1 to 0. */
  readonly brightness: number
}

export interface Scene {
  readonly marbles: ReadonlyArray<DrawnMarble>
  readonly shots: ReadonlyArray<DrawnShot>
  /** The place of the own marble, and the one that the room has told. */
  readonly own: Point | null
  readonly told: Point | null
}

/** The colours of the four places, in the page as well. */
export const Colours = ["#3d8bff", "#ff9f2e", "#25c48a", "#f0568f"] as const

const Places = Colours.length
/** Slower than this, the picture gets fewer pixels. */
const SlowFrameMs = 24
const FewestPixels = 0.35
/** Two such frames on end, and it gets a quarter of them. One alone may be a page that was away. */
const HaltFrameMs = 80

const tints = Colours.flatMap((colour) =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
)

/** Draws the disc and its marbles with WebGL. Throws where the browser has none. */
export class Picture {
  readonly #canvas: HTMLCanvasElement
  readonly #camera: Camera
  readonly #gl: WebGL2RenderingContext
  readonly #places = new Map<string, WebGLUniformLocation | null>()
  readonly #program: WebGLProgram
  /** Dots of the picture for each of the page's units. */
  #scale = Math.min(2, Math.max(1.25, devicePixelRatio))
  #frameMs = 16
  #halts = 0

  constructor(canvas: HTMLCanvasElement, camera: Camera) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false })
    if (gl === null) throw new Error("this browser has no WebGL")
    this.#canvas = canvas
    this.#camera = camera
    this.#gl = gl
    this.#program = programOf(gl)
    gl.useProgram(this.#program)
    this.#gl.uniform3fv(this.#place("tint"), tints)
  }

  draw(scene: Scene, of: { readonly dark: boolean; readonly elapsedMs: number }): void {
    this.#fit(of.elapsedMs)
    const gl = this.#gl
    const { eye, up, front, focal } = this.#camera
    gl.viewport(0, 0, this.#canvas.width, this.#canvas.height)
    gl.uniform2f(this.#place("size"), this.#canvas.width, this.#canvas.height)
    gl.uniform1f(this.#place("focal"), focal)
    gl.uniform1f(this.#place("dark"), of.dark ? 1 : 0)
    for (const [name, { x, y, z }] of Object.entries({ eye, up, front })) {
      gl.uniform3f(this.#place(name), x, y, z)
    }
    for (const [name, at] of Object.entries({ ring: scene.own, told: scene.told })) {
      gl.uniform3f(this.#place(name), at?.x ?? 0, at?.z ?? 0, at === null ? 0 : 1)
    }
    this.#marbles(scene.marbles)
    this.#shots(scene.shots)
    gl.drawArrays(gl.TRIANGLES, 0, 3)
  }

  #marbles(all: ReadonlyArray<DrawnMarble>): void {
    const [places, turns] = [new Float32Array(4 * Places), new Float32Array(4 * Places)]
    for (const { seat, away, position, rotation } of all) {
      places.set([position.x, position.y, position.z, away ? 0.35 : 1], 4 * seat)
      turns.set([rotation.x, rotation.y, rotation.z, rotation.w], 4 * seat)
    }
    this.#gl.uniform4fv(this.#place("marble"), places)
    this.#gl.uniform4fv(this.#place("turn"), turns)
  }

  #shots(all: ReadonlyArray<DrawnShot>): void {
    const [from, to] = [new Float32Array(4 * Places), new Float32Array(3 * Places)]
    for (const { seat, brightness, ...shot } of all) {
      from.set([shot.from.x, shot.from.y, shot.from.z, brightness], 4 * seat)
      to.set([shot.to.x, shot.to.y, shot.to.z], 3 * seat)
    }
    this.#gl.uniform4fv(this.#place("shotFrom"), from)
    this.#gl.uniform3fv(this.#place("shotTo"), to)
  }

  /** As many dots as the machine draws in time. */
  #fit(elapsedMs: number): void {
    this.#frameMs += 0.05 * (Math.min(elapsedMs, 100) - this.#frameMs)
    this.#halts = elapsedMs > HaltFrameMs ? this.#halts + 1 : 0
    const share = this.#halts === 2 ? 0.5 : this.#frameMs > SlowFrameMs ? 0.8 : 1
    if (share < 1) {
      this.#scale = Math.max(FewestPixels, share * this.#scale)
      this.#frameMs = 16
      this.#halts = 0
    }
    const { clientWidth, clientHeight } = this.#canvas
    this.#camera.resize(clientWidth, clientHeight)
    const width = Math.max(1, Math.round(clientWidth * this.#scale))
    const height = Math.max(1, Math.round(clientHeight * this.#scale))
    if (this.#canvas.width === width && this.#canvas.height === height) return
    this.#canvas.width = width
    this.#canvas.height = height
  }

  #place(name: string): WebGLUniformLocation | null {
    const known = this.#places.get(name)
    if (known !== undefined) return known
    const place = this.#gl.getUniformLocation(this.#program, name)
    this.#places.set(name, place)
    return place
  }
}

const programOf = (gl: WebGL2RenderingContext): WebGLProgram => {
  const program = gl.createProgram()
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, VertexShader],
    [gl.FRAGMENT_SHADER, FragmentShader]
  ] as const) {
    const shader = gl.createShader(kind)
    if (shader === null) throw new Error("WebGL is away")
    gl.shaderSource(shader, text)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
  }
  gl.linkProgram(program)
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) {
    const logs = gl.getAttachedShaders(program)?.map((shader) => gl.getShaderInfoLog(shader)) ?? []
    throw new Error([gl.getProgramInfoLog(program), ...logs].join("\n"))
  }
  return program
}
