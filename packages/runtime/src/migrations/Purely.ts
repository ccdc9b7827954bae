const impure = (what: string): never => {
  throw new Error(
    `a migration has no ${what}: the same state must always become the same, whenever it wakes`
  )
}

/**
 * Runs code without time and chance. It keeps migrations honest and is no wall: code that took the functions
 * aside when its module was loaded has them still.
 */
export const purely = <A>(run: () => A): A => {
  const { Date: RealDate, Math: RealMath } = globalThis
  const { random } = RealMath
  const timeless = new Proxy(RealDate, {
    apply: () => impure("Date()"),
    construct: (target, values: ReadonlyArray<unknown>) =>
      values.length === 0 ? impure("new Date()") : Reflect.construct(target, values),
    get: (target, name) =>
      name === "now" ? () => impure("Date.now()") : Reflect.get(target, name, target)
  })
  const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name))
  try {
    put({ Date: timeless, performance: refusing("performance"), crypto: refusing("crypto") })
    RealMath.random = () => impure("Math.random()")
    return run()
  } finally {
    for (const [place, name] of names.entries()) {
      Reflect.defineProperty(globalThis, name, before[place] ?? {})
    }
    RealMath.random = random
  }
}

const names = ["Date", "performance", "crypto"] as const

/** A global that room code has made non-configurable is not replaced. */
const put = (values: Readonly<Record<(typeof names)[number], unknown>>): void => {
  for (const name of names) {
    const value = values[name]
    const fresh = { value, configurable: true, enumerable: false, writable: true }
    Reflect.defineProperty(globalThis, name, fresh)
  }
}

const refusing = (what: string): object =>
  new Proxy({}, { get: (_, name) => impure(`${what}.${String(name)}`) })
