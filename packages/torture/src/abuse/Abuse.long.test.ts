import { Servers } from "@atrium/api/testing/load/Servers"
import { expect, it } from "vitest"

import { runAbuse } from "./AbuseRun.ts"

// A short attack. How steady the room beside it stays is for `npm run abuse`, on a quiet machine.

it("[limits.connections.burst] [limits.frames.rate] an attack is refused with its codes, and the other players play on", async () => {
  const servers = new Servers()
  try {
    const { faults, attacked } = await runAbuse(servers, { seconds: 8, say: () => undefined })
    expect(faults).toEqual([])
    expect(attacked.patches).toBeGreaterThan(0)
  } finally {
    await servers.end()
  }
})
