import type { LifeEvent } from "@atrium/domain/life/LifeEvent"
import { describe, expect, it } from "vitest"

import { lifeText } from "./LifeText.ts"

const at = "2026-11-28T10:00:00.000Z"
const textOf = (event: Omit<LifeEvent, "id" | "at">) => lifeText({ id: "1", at, ...event })

describe("the words of a room's life", () => {
  it.each<readonly [Omit<LifeEvent, "id" | "at">, string]>([
    [{ kind: "created", version: 1, server: "srv_1" }, "Created on version 1, on server srv_1"],
    [{ kind: "slept", reason: "empty" }, "Fell asleep: nobody was there"],
    [{ kind: "slept", reason: "a new reason" }, "Fell asleep: a new reason"],
    [
      { kind: "crashed", reason: "crashed", staleMs: 4000 },
      "Crashed: its code threw an error that nothing catches. 4 s of play were lost"
    ],
    [{ kind: "crashed", reason: "hung", staleMs: 0 }, "Crashed: it did not answer"],
    [
      { kind: "saved", reason: "manual", saveId: "sv_1", bytes: 2048, version: 2 },
      "Saved (manual): sv_1, 2 KiB of version 2"
    ],
    [{ kind: "deployed", version: 4 }, "Version 4 of the project was deployed"],
    [
      { kind: "deployed", version: 4, from: 2 },
      "The project was rolled back: version 4 is version 2 again"
    ]
  ])("[C-775] %j is told in words", (event, text) => {
    expect(textOf(event).text).toBe(text)
  })

  it("[C-775] keeps the words of the room's code apart, unchanged", () => {
    const detail = "<script>alert(1)</script>"
    const told = textOf({ kind: "crashed", reason: "crashed", detail })
    expect([told.tone, told.detail, told.text.includes("<")]).toEqual(["bad", detail, false])
  })

  it("[C-766] an event that this page does not know is shown by its name", () => {
    // A newer service tells it.
    const event = JSON.parse(`{"id":"1","at":"${at}","kind":"teleported"}`)
    expect(lifeText(event)).toEqual({ tone: "asleep", text: "teleported", detail: null })
  })
})
