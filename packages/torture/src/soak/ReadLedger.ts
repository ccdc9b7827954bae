import { sleep } from "@atrium/api/testing/load/Tasks"
import { Client } from "@atrium/sdk/client"

import type { Line } from "./Ledger.ts"
import { ledger } from "./rooms/soakSchema.ts"

interface LedgerPlace {
  readonly url: string
  readonly project: string
  readonly roomId: string
}

const pauseMs = 100

/** Tries again until it succeeds, or rejects with the last error when this much time has passed. */
export const again = async <T>(attempt: () => Promise<T>, withinMs: number): Promise<T> => {
  const deadlineAtMs = performance.now() + withinMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() > deadlineAtMs) throw error
      await sleep(pauseMs)
    }
  }
}

/** Wakes a room, which must exist, and reads its ledger. */
export const readLedger = (
  { url, project, roomId }: LedgerPlace,
  withinMs: number
): Promise<ReadonlyArray<Line>> => {
  const client = new Client(url, { project })
  return again(async () => {
    const room = await client.join(ledger, { roomId })
    const lines = [...room.state.lines].map(({ client: from, seq, ticket, kind }) => ({
      client: from,
      seq,
      ticket,
      kind: String(kind)
    }))
    await room.leave()
    return lines
  }, withinMs)
}
