import { afterAll, beforeAll, expect } from "vitest"

import {
  makeHome,
  type RunningService,
  type ServiceHome,
  type ServiceOptions
} from "./RunningService.ts"

/** One service for all tests of a file, there from the first on. Its clean end is part of the proof. */
export const serviceUnderTest = (options: Partial<ServiceOptions> = {}): RunningService => {
  let home: ServiceHome | null = null
  let started: RunningService | null = null
  const running = (): RunningService => {
    if (started === null) throw new Error("the service is not running")
    return started
  }

  beforeAll(async () => {
    home = await makeHome()
    started = await home.start(options)
  })

  afterAll(async () => {
    try {
      expect(await running().stop()).toBe(0)
    } finally {
      await home?.remove()
    }
  })

  return {
    get url() {
      return running().url
    },
    get token() {
      return running().token
    },
    get project() {
      return running().project
    },
    get pid() {
      return running().pid
    },
    get dataDir() {
      return running().dataDir
    },
    get databaseUrl() {
      return running().databaseUrl
    },
    output: () => running().output(),
    stop: (signal) => running().stop(signal)
  }
}
