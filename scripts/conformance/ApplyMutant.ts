/** One change of a source file: what stands there once, and what is read instead. */
export interface Edit {
  readonly id: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** Throws unless `find` is there exactly once: a mutant that changes nothing would survive for ever. */
export const mutated = (source: string, { id, file, find, replace }: Edit): string => {
  const [before = "", ...after] = source.split(find)
  if (after.length !== 1) throw new Error(`${id}: ${file} has its text ${after.length} times`)
  const text = `${before}${replace}${after[0]}`
  if (text === source) throw new Error(`${id}: it changes nothing`)
  return text
}
