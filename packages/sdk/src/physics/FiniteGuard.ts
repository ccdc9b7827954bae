/**
 * Rapier takes NaN, and from the next step on every body that it reaches is nowhere. The guard checks what a game hands to
 * the classes of its library before they see it, so that a call throws and the world stays as it was.
 */

/** A mark on a class that is guarded already: a bundle may call `physics` for several types. */
const Guarded = Symbol.for("atrium.physics.guarded")

/** Methods that put values into the world, or into what will be put there. */
const Writes =
  /^(?:set|add|apply|create|configure|teleport|insert|enable|restrict|lock|move|compute|update|cut|tear|append)/

/** Methods whose argument may be infinite: an infinite bound is no bound. */
const Unbounded: ReadonlySet<string> = new Set([
  "setContactForceEventThreshold",
  "setLimits",
  "setMaxForce"
])

/** The same in the descriptions of colliders and joints. */
const UnboundedParts: ReadonlySet<string> = new Set(["contactForceEventThreshold", "limits"])

/** A compound of shapes is the deepest thing that Rapier takes. */
const LevelsMax = 6

/** Guards every class of a module, once. */
export const guardModule = (module: object): void => {
  for (const [name, value] of Object.entries(module)) {
    if (typeof value !== "function" || !isObject(value.prototype)) continue
    if (!Object.hasOwn(value.prototype, Guarded)) guardClass(name, value.prototype)
  }
}

/** Throws `RangeError` for a number that Rapier cannot count with, wherever in a value it is. */
export const demandFinite = (what: string, value: unknown, fits: Fits = Number.isFinite): void => {
  const problem = problemIn(value, fits, 0)
  if (problem !== null) throw new RangeError(`${what}: ${problem} is no number for a world`)
}

const guardClass = (className: string, prototype: object): void => {
  Object.defineProperty(prototype, Guarded, { value: true })
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const what = `${className}.${name}`
    const fits = Unbounded.has(name) ? isNumber : Number.isFinite
    if (property.set !== undefined) {
      Object.defineProperty(prototype, name, {
        ...property,
        set: guarded(what, property.set, fits)
      })
    } else if (typeof property.value === "function" && Writes.test(name)) {
      const value = guarded(what, property.value, fits)
      Object.defineProperty(prototype, name, { ...property, value })
    }
  }
}

type Method = (...values: ReadonlyArray<unknown>) => unknown

const guarded = (what: string, method: Method, fits: Fits): Method =>
  function checked(this: unknown, ...values) {
    for (const value of values) demandFinite(what, value, fits)
    return Reflect.apply(method, this, values)
  }

type Fits = (value: number) => boolean

const isNumber: Fits = (value) => !Number.isNaN(value)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Rapier counts in 32 bits: a larger number is infinite there. */
const problemIn = (value: unknown, fits: Fits, level: number): string | null => {
  if (typeof value === "number") return fits(Math.fround(value)) ? null : String(value)
  if (!isObject(value) || level > LevelsMax || isPartOfWorld(value)) return null
  if (ArrayBuffer.isView(value)) return problemInView(value, fits)
  for (const [name, part] of Object.entries(value)) {
    // Rapier does not read `userData`.
    if (name === "userData") continue
    const problem = problemIn(part, UnboundedParts.has(name) ? isNumber : fits, level + 1)
    if (problem !== null) return Array.isArray(value) ? problem : `${name} = ${problem}`
  }
  return null
}

const problemInView = (view: ArrayBufferView, fits: Fits): string | null => {
  if (!(view instanceof Float32Array || view instanceof Float64Array)) return null
  const bad = view.findIndex((value) => !fits(Math.fround(value)))
  return bad === -1 ? null : String(view[bad])
}

/** Bodies, colliders and joints are in the world already, and what they refer to is large. */
const isPartOfWorld = (value: object): boolean => "handle" in value || "raw" in value
