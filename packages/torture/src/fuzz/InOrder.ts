/** Does cases in order, several at once, while there are more. @returns the next one */
export const inOrder = async (
  each: (index: number) => Promise<void>,
  { from = 0, atOnce, more }: { from?: number; atOnce: number; more: (next: number) => boolean }
): Promise<number> => {
  let next = from
  const worker = async (): Promise<void> => {
    while (more(next)) await each(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return next
}
