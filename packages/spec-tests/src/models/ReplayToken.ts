/** The sequence of a model that failed: its seed, and the path of its shrinking. */
export interface ReplayToken {
  readonly seed: number
  readonly path: string
  /** The commands of the sequence that were run, in fast-check's notation. */
  readonly commands: string
}

/** `id@seed@path@commands`; the id is the first of the check. */
export const replayText = (id: string, { seed, path, commands }: ReplayToken): string =>
  [id, seed, path, commands].join("@")

/** The token of a check, or null: it is another check's, or none at all. */
export const replayOf = (id: string, text: string | null): ReplayToken | null => {
  const [of, seed, path, commands] = (text ?? "").split("@")
  if (of !== id || path === undefined || commands === undefined) return null
  return { seed: Number(seed), path, commands }
}
