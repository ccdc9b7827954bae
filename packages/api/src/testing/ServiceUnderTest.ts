import { afterAll, beforeAll, expect, test } from "vitest"

import {
  makeHome,
  makeProject,
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

  return Object.assign(fieldsOf(running), {
    start,
    stop: (signal?: NodeJS.Signals) => running().stop(signal)
  })
}

interface WorkerFixture {
  onCleanup(act: () => Promise<void>): void
}

const withArgs =
  (...args: ReadonlyArray<string>) =>
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern what a fixture uses
  async ({}, { onCleanup }: WorkerFixture): Promise<RunningService> => {
    const home = await makeHome()
    const service = await home.start({ args })
    // `serviceUnderTest` proves the clean end: an error here is not heard.
    onCleanup(async () => {
      await service.stop()
      await home.remove()
    })
    return service
  }

const ofWorker = test
  .extend("plain", { scope: "worker" }, withArgs())
  .extend("controlled", { scope: "worker" }, withArgs("--control-port", "0"))

/**
 * A service that all such files of a worker ask, with a project of its own for each file. For stories that look at their
 * own project, stop nothing and leave no room awake: other files come before and after on the same service.
 */
export const sharedService = (
  kind: "plain" | "controlled" = "plain"
): Omit<RunningService, "stop"> => {
  let found: RunningService | null = null
  const use = async (service: RunningService): Promise<void> => {
    found = { ...service, project: await makeProject(service.url, service.token) }
  }
  if (kind === "plain") ofWorker.beforeAll(({ plain }) => use(plain))
  else ofWorker.beforeAll(({ controlled }) => use(controlled))
  return fieldsOf(() => {
    if (found === null) throw new Error("the service is not running")
    return found
  })
}

/** Fields that are read when a test asks for them. */
const fieldsOf = (running: () => RunningService): Omit<RunningService, "stop"> => ({
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
  output: () => running().output()
})
