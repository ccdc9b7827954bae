import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"

/** Save generations: their list, their bytes, and going back to one. */
export const saveChecks: ReadonlyArray<Check> = [
  {
    ids: ["saves.newest-first"],
    title: "generations are listed newest first",
    run: async (trial) => {
      const project = await trial.project()
      await trial.fixtures.deploy(project, "probe")
      const client = await trial.socket({ project, room: "saved" })
      await client.join()
      await client.call("add", { by: 1 })
      await client.call("save")
      const answer = await project.ask("/rooms/saved/saves")
      same("the status", answer.status, 200)
      holds("there is one", Array.isArray(answer.json) && answer.json.length === 1, answer.text)
    }
  }
]
