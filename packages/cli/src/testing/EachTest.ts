import { afterEach, beforeEach } from "vitest"

import { type GameFolder, makeGameFolder } from "./GameFolder.ts"
import { type RecordingService, startRecordingService } from "./RecordingService.ts"

/** What is made before each test of a file, and removed after it. */
const eachTest = <Made>(
  make: () => Promise<Made>,
  remove: (made: Made) => Promise<void>
): (() => Made) => {
  let made: Made | null = null
  const current = (): Made => {
    if (made === null) throw new Error("no test is running")
    return made
  }
  beforeEach(async () => {
    made = await make()
  })
  afterEach(() => remove(current()))
  return current
}

/** A new service for each test of a file. */
export const serviceOfEachTest = (): RecordingService => {
  const current = eachTest(startRecordingService, (service) => service.close())
  return {
    get url() {
      return current().url
    },
    get requests() {
      return current().requests
    },
    get answer() {
      return current().answer
    },
    set answer(answer) {
      current().answer = answer
    },
    close: () => current().close()
  }
}

/** A new folder with these files for each test of a file. */
export const gameOfEachTest = (files: Readonly<Record<string, string>> = {}): GameFolder => {
  const current = eachTest(
    () => makeGameFolder(files),
    (game) => game.remove()
  )
  return {
    get path() {
      return current().path
    },
    write: (written) => current().write(written),
    remove: () => current().remove()
  }
}
