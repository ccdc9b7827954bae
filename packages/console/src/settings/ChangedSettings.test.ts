import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { describe, expect, it } from "vitest"

import { changedSettings, typedOf } from "./ChangedSettings.ts"

const record: Omit<Project, "id"> & { readonly id: never } = {
  // The form reads no id.
  id: undefined as never,
  name: "cards",
  plan: "free",
  createdAt: "2026-11-28T10:00:00.000Z",
  connectionsPerIpPerMin: null,
  vmMemMib: 512,
  queues: { duo: { size: 2 } },
  boards: {},
  origins: ["https://a.example"],
  audienceRole: null,
  preRelease: false,
  static: null,
  currentVersion: 3
}
const typed = typedOf(record)

describe("settings as they are typed", () => {
  it("[C-804] sends no setting that is unchanged", () => {
    expect(changedSettings(record, typed)).toEqual({ name: "cards" })
  })

  it("[C-804] sends what has changed; nothing typed is the default", () => {
    const changed = {
      origins: "https://b.example\n\n *",
      audienceRole: "fan",
      connectionsPerIpPerMin: "60",
      vmMemMib: "",
      preRelease: true,
      queues: "{}",
      boards: '{"kills":{"direction":"up"}}'
    }
    expect(changedSettings(record, changed)).toEqual({
      name: "cards",
      origins: ["https://b.example", "*"],
      audienceRole: "fan",
      connectionsPerIpPerMin: 60,
      vmMemMib: null,
      preRelease: true,
      queues: {},
      boards: { kills: { direction: "up" } }
    })
  })

  it("[C-804] sends text that is not a number unchanged, and throws for text that is not JSON", () => {
    expect(changedSettings(record, { ...typed, vmMemMib: "much" })).toEqual({
      name: "cards",
      vmMemMib: "much"
    })
    expect(() => changedSettings(record, { ...typed, queues: "{" })).toThrow(/^queues: /)
  })
})
