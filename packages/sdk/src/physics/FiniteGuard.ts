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

/** Numbers that Rapier can count with. */
interface Rule {
  readonly fits: (value: number) => boolean
  /** A vector has these coordinates. Rapier takes a missing one for NaN. */
  readonly axes: ReadonlyArray<"x" | "y" | "z">
}

/** The rule of a world for what goes into it. */
export const FiniteIn = {
  2: { fits: Number.isFinite, axes: ["x", "y"] },
  3: { fits: Number.isFinite, axes: ["x", "y", "z"] }
} as const satisfies Record<2 | 3, Rule>

/** Guards every class of a module, once. */
export const guardModule = (module: object, dimensions: 2 | 3): void => {
  for (const [name, value] of Object.entries(module)) {
    if (typeof value !== "function" || !isObject(value.prototype)) continue
    if (Object.hasOwn(value.prototype, Guarded)) continue
    guardClass(name, value.prototype, FiniteIn[dimensions])
  }
}

/** Throws `RangeError` for a number that Rapier cannot count with, wherever in a value it is. */
export const demandFinite = (what: string, value: unknown, rule: Rule): void => {
  const problem = problemIn(value, rule, 0)
  if (problem !== null) throw new RangeError(`${what}: ${problem} is no number for a world`)
}

const guardClass = (className: string, prototype: object, finite: Rule): void => {
  Object.defineProperty(prototype, Guarded, { value: true })
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const what = `${className}.${name}`
    const rule = Unbounded.has(name) ? unbounded(finite) : finite
    if (property.set !== undefined) {
      Object.defineProperty(prototype, name, {
        ...property,
        set: guarded(what, property.set, rule)
      })
    } else if (typeof property.value === "function" && Writes.test(name)) {
      const value = guarded(what, property.value, rule)
      Object.defineProperty(prototype, name, { ...property, value })
    }
  }
}

type Method = (...values: ReadonlyArray<unknown>) => unknown

const guarded = (what: string, method: Method, rule: Rule): Method =>
  function checked(this: unknown, ...values) {
    for (const value of values) demandFinite(what, value, rule)
    return Reflect.apply(method, this, values)
  }

const unbounded = ({ axes }: Rule): Rule => ({ fits: isNumber, axes })

const isNumber = (value: number): boolean => !Number.isNaN(value)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Rapier counts in 32 bits: a larger number is infinite there. */
const problemIn = (value: unknown, rule: Rule, level: number): string | null => {
  if (typeof value === "number") return rule.fits(Math.fround(value)) ? null : String(value)
  if (!isObject(value) || level > LevelsMax || isPartOfWorld(value)) return null
  if (ArrayBuffer.isView(value)) return problemInView(value, rule)
  const missing = problemInVector(value, rule)
  if (missing !== null) return missing
  for (const [name, part] of Object.entries(value)) {
    // Rapier does not read `userData`.
    if (name === "userData") continue
    const problem = problemIn(part, UnboundedParts.has(name) ? unbounded(rule) : rule, level + 1)
    if (problem !== null) return Array.isArray(value) ? problem : `${name} = ${problem}`
  }
  return null
}

/** The coordinates of a vector may also be those of its class, which are not among its own properties. */
const problemInVector = (value: object, rule: Rule): string | null => {
  if (!rule.axes.some((axis) => axis in value)) return null
  for (const axis of rule.axes) {
    const problem = problemAt(value, axis, rule)
    if (problem !== null) return problem
  }
  return "w" in value ? problemAt(value, "w", rule) : null
}

const problemAt = (value: object, axis: string, { fits }: Rule): string | null => {
  const part: unknown = Reflect.get(value, axis)
  return typeof part === "number" && fits(Math.fround(part)) ? null : `${axis} = ${String(part)}`
}

const problemInView = (view: ArrayBufferView, { fits }: Rule): string | null => {
  if (!(view instanceof Float32Array || view instanceof Float64Array)) return null
  const bad = view.findIndex((value) => !fits(Math.fround(value)))
  return bad === -1 ? null : String(view[bad])
}

/** Bodies, colliders and joints are in the world already, and what they refer to is large. */
const isPartOfWorld = (value: object): boolean => "handle" in value || "raw" in value
