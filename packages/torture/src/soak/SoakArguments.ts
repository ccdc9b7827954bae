/** What `npm run soak` is to do. */
export interface SoakArguments {
  readonly cycles: { readonly cycles: number; readonly workers: number } | null
  readonly kills: { readonly minutes: number; readonly seed: number } | null
}

export const usage = `npm run soak -- [--only cycles|kills] [--cycles N] [--workers N] [--minutes N] [--seed N]

  cycles  join, leave, hibernate, wake: 10000 of them (--cycles) in 16 rooms (--workers)
  kills   play with faults for 3 minutes (--minutes), planned by a seed (--seed)`

const bounds = {
  "--cycles": { least: 1, most: 10_000_000 },
  "--workers": { least: 1, most: 20 },
  "--minutes": { least: 0.1, most: 10_000 },
  "--seed": { least: 0, most: 2 ** 32 - 1 }
} as const
type NumberOption = keyof typeof bounds

const isNumberOption = (word: string): word is NumberOption => Object.hasOwn(bounds, word)

/**
 * Reads the command line; a text says what is wrong with it.
 *
 * @param freshSeed the seed when none is given
 */
export const readSoakArguments = (
  words: ReadonlyArray<string>,
  freshSeed: number
): SoakArguments | string => {
  const numbers = { "--cycles": 10_000, "--workers": 16, "--minutes": 3, "--seed": freshSeed }
  let only: string | null = null
  for (let at = 0; at < words.length; at += 2) {
    const [option = "", value = ""] = words.slice(at)
    if (option === "--only" && (value === "cycles" || value === "kills")) only = value
    else if (option === "--only") return "--only must be cycles or kills"
    else if (!isNumberOption(option)) return `${option} is not an option`
    else {
      const { least, most } = bounds[option]
      const number = value === "" ? Number.NaN : Number(value)
      const whole = option === "--minutes" || Number.isInteger(number)
      if (!whole || !(number >= least && number <= most)) {
        return `${option} must be a number from ${least} to ${most}`
      }
      numbers[option] = number
    }
  }
  return {
    cycles:
      only === "kills" ? null : { cycles: numbers["--cycles"], workers: numbers["--workers"] },
    kills: only === "cycles" ? null : { minutes: numbers["--minutes"], seed: numbers["--seed"] }
  }
}
