export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Waits for a condition; `false` when the deadline passes first. */
export const within = async (
  ms: number,
  holds: () => boolean | Promise<boolean>,
  lookEveryMs = 2
): Promise<boolean> => {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) return false
    await sleep(lookEveryMs)
  }
  return true
}

/** Runs a task for each item, so many at once; results are in the order of the items. */
export const eachOf = async <A, B>(
  items: ReadonlyArray<A>,
  atOnce: number,
  task: (item: A, index: number) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  const open = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of open) results[index] = await task(item, index)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}

export const upTo = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => index)
