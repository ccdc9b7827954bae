/** What `npm run torture -- world` is to do. */
export interface SimArguments {
  readonly seed: number
  readonly seeds: number
  readonly steps: number
  /** The steps that are taken; `null` = all. */
  readonly only: ReadonlySet<number> | null
}

export const usage = `npm run torture -- world [--seed N] [--seeds N] [--steps N] [--only N,N,…]

  lives through worlds of rooms, servers and clients in virtual time, with everything that goes wrong:
  200 of them from a fresh seed, or the one of --seed; --seeds of them; each of 120 steps (--steps)
  --only takes these steps alone, as a finding names them`

const bounds = {
  "--seed": { least: 0, most: 2 ** 31 - 1 },
  "--seeds": { least: 1, most: 10_000_000 },
  "--steps": { least: 0, most: 100_000 }
} as const
type NumberOption = keyof typeof bounds

const isNumberOption = (word: string): word is NumberOption => Object.hasOwn(bounds, word)

/** Worlds when no seed is named, and steps of each. */
const seedsFresh = 200
const stepsUsual = 120

/**
 * Reads the command line; a text says what is wrong with it.
 *
 * @param freshSeed the first seed when none is given
 */
export const readSimArguments = (
  words: ReadonlyArray<string>,
  freshSeed: number
): SimArguments | string => {
  const numbers = new Map<NumberOption, number>()
  let only: ReadonlySet<number> | null = null
  for (let at = 0; at < words.length; at += 2) {
    const [option = "", value = ""] = words.slice(at)
    if (option === "--only") {
      only = stepsOf(value)
      if (only === null) return "--only must be numbers of steps, with commas between them"
    } else if (isNumberOption(option)) {
      const { least, most } = bounds[option]
      const number = numberOf(value)
      if (number === null || number < least || number > most) {
        return `${option} must be a whole number from ${least} to ${most}`
      }
      numbers.set(option, number)
    } else return `${option} is not an option`
  }
  const seed = numbers.get("--seed")
  return {
    seed: seed ?? freshSeed,
    seeds: numbers.get("--seeds") ?? (seed === undefined ? seedsFresh : 1),
    steps: numbers.get("--steps") ?? stepsUsual,
    only
  }
}

const numberOf = (text: string): number | null => (/^[0-9]{1,10}$/.test(text) ? Number(text) : null)

const stepsOf = (text: string): ReadonlySet<number> | null => {
  const steps = text.split(",").map(numberOf)
  const known = steps.filter((step) => step !== null)
  return known.length === steps.length ? new Set(known) : null
}
