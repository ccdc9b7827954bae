/** A number as it stands in a line, with the unit behind it. */
export interface WrittenNumber {
  readonly text: string
  readonly value: number
  /** Possible meanings in milliseconds or bytes; without a unit the number itself. */
  readonly means: ReadonlyArray<number>
}

/** Names that hold digits and are no numbers of the specification. */
const names = [
  /SHA-256/g,
  /ISO 8601/g,
  /UTF-(?:8|16)/g,
  /IPv[46]/g,
  /\bv1\b/g,
  /\b0-9\b/g,
  /\.{3}/g
]

const words: ReadonlyMap<string, number> = new Map([
  ["two", 2],
  ["twice", 2],
  ["three", 3],
  ["four", 4],
  ["five", 5],
  ["six", 6],
  ["seven", 7],
  ["eight", 8],
  ["nine", 9],
  ["ten", 10]
])

const second = 1000
const units: ReadonlyMap<string, ReadonlyArray<number>> = new Map([
  ["kb", [1000, 1024]],
  ["mb", [1000 ** 2, 1024 ** 2]],
  ["gb", [1000 ** 3, 1024 ** 3]],
  ["kib", [1024]],
  ["mib", [1024 ** 2]],
  ["gib", [1024 ** 3]],
  ["ms", [1]],
  ["millisecond", [1]],
  ["s", [second]],
  ["second", [second]],
  ["m", [60 * second]],
  ["minute", [60 * second]],
  ["h", [3600 * second]],
  ["hour", [3600 * second]],
  ["d", [86_400 * second]],
  ["day", [86_400 * second]]
])

const number = new RegExp(
  String.raw`(?<![\w.])(?:(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)|(${[...words.keys()].join("|")})\b)` +
    String.raw`\s?(?:([KMG]i?B|ms|[smhd]|milliseconds?|seconds?|minutes?|hours?|days?)\b)?`,
  "gi"
)

/** The numbers of a line, also those in words from two to ten. The number of a rule is none. */
export const numbersOf = (line: string): ReadonlyArray<WrittenNumber> => {
  const text = names.reduce(
    (left, name) => left.replace(name, " "),
    line.trim().replace(/^\d+\. /, "")
  )
  return [...text.matchAll(number)].flatMap(([whole, digits, word, unit]) => {
    const value =
      digits === undefined
        ? words.get((word ?? "").toLowerCase())
        : Number(digits.replaceAll(",", ""))
    if (value === undefined) return []
    const factors = units.get(unitName(unit)) ?? [1]
    return [{ text: whole.trim(), value, means: factors.map((factor) => value * factor) }]
  })
}

const unitName = (unit = ""): string => {
  const name = unit.toLowerCase()
  return name.length > 2 && name.endsWith("s") ? name.slice(0, -1) : name
}

/** Error codes of a line. */
export const codesOf = (line: string): ReadonlyArray<string> => [
  ...new Set([...line.matchAll(/\bE_[A-Z][A-Z_]*[A-Z]/g)].map(([code]) => code))
]
