import { describe, expect, test } from "vitest"

import { capMail, marksReached } from "./CapAlerts.ts"

const shown = (used: number, ceiling: number | null = null) =>
  marksReached({ used, allowance: 1000, ceiling }).map(
    ({ cap, percent, bound }) => `${cap} ${percent} of ${bound}`
  )

describe("marksReached", () => {
  test.each([
    [0, null, []],
    [799, null, []],
    [800, null, ["allowance 80 of 1000"]],
    [999, null, ["allowance 80 of 1000"]],
    [1000, null, ["allowance 80 of 1000", "allowance 100 of 1000"]],
    [5000, null, ["allowance 80 of 1000", "allowance 100 of 1000"]],
    [79, 100, []],
    [80, 100, ["ceiling 80 of 100"]],
    [100, 100, ["ceiling 80 of 100", "ceiling 100 of 100"]],
    [0, 0, []],
    [1, 0, ["ceiling 80 of 0", "ceiling 100 of 0"]]
  ])("[C-503] %d used beside a ceiling of %s", (used, ceiling, marks) => {
    expect(shown(used, ceiling)).toEqual(marks)
  })

  test("[C-503] counts with the largest numbers without an error of rounding that matters", () => {
    const bound = Number.MAX_SAFE_INTEGER
    expect(shown(bound, bound)).toContain(`ceiling 100 of ${bound}`)
    expect(shown(bound / 2, bound)).not.toContain(`ceiling 80 of ${bound}`)
  })
})

test("[events.cap.email] a mail names the project, the meter, the cap and what follows", () => {
  const reached = {
    project: { id: "p_0123456789abcdef", name: "Duel" },
    meter: "roomHours",
    cap: "allowance",
    bound: 100,
    endMs: Date.parse("2026-12-01T00:00:00Z")
  } as const
  expect(capMail({ ...reached, walled: false })).toEqual({
    subject: "Atrium: Duel has reached its cap of roomHours",
    text: [
      "The project Duel (p_0123456789abcdef) has used 100 of roomHours: the allowance of its plan.",
      "Service continues; the use beyond the allowance is billed.",
      "The period ends 2026-12-01T00:00:00.000Z.",
      "The caps: atrium caps --project p_0123456789abcdef"
    ].join("\n\n")
  })
  expect(capMail({ ...reached, walled: true }).text).toContain("New work")
})
