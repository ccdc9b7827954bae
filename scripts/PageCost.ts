import type { Page } from "playwright-core"

/** Tells the processor time, in ms, that the thread of a page takes for an act: other programs use the machine, too. */
export const pageCost = async (
  page: Page
): Promise<(act: () => Promise<unknown>) => Promise<number>> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  const usedMs = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics")
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN)
  }
  return async (act) => {
    const beforeMs = await usedMs()
    await act()
    return (await usedMs()) - beforeMs
  }
}
