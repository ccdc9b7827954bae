import { afterAll, beforeAll, expect } from "vitest"

import {
  makeHome,
  type RunningService,
  type ServiceHome,
  type ServiceOptions
} from "./RunningService.ts"

/** The service of a file: its fields are those of the last start. */
interface ServiceUnderTest extends RunningService {
  /** Starts it again in its place, after a stop. */
  start(): Promise<void>
}

/** One service for all tests of a file, there from the first on. Its clean end is part of the proof. */
export const serviceUnderTest = (options: Partial<ServiceOptions> = {}): ServiceUnderTest => {
  let home: ServiceHome | null = null
  let started: RunningService | null = null
  const running = (): RunningService => {
    if (started === null) throw new Error("the service is not running")
    return started
  }

  const start = async (): Promise<void> => {
    home ??= await makeHome()
    started = await home.start(options)
  }

  beforeAll(start)

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
    start,
    output: () => running().output(),
    stop: (signal) => running().stop(signal)
  }
}
