import type { Project } from "@atrium/domain/projects/ProjectsApi"

import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { useRead } from "../service/Reads.ts"
import { typedOf } from "./ChangedSettings.ts"
import { DeletePanel } from "./DeletePanel.tsx"
import { NamePanel } from "./NamePanel.tsx"
import { SettingsForm } from "./SettingsForm.tsx"
import { SitePanel } from "./SitePanel.tsx"

/** The name and the settings of a project, and its deletion. */
export const SettingsPage = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}`
  const read = useRead<Project>(path, 60_000)
  const found = read.state.value.last?.value
  return (
    <>
      <PageHead project={project} title="Settings" />
      <div class="panels">
        {found !== undefined && (
          <NamePanel key={found.name} path={path} name={found.name} onDone={read.again} />
        )}
        <ReadPanel
          title="Settings"
          read={read}
          asked={{ method: "GET", path, credential: "login" }}
          command={{ words: ["project", "get"], flags: { project } }}
        >
          {(record) => (
            <SettingsForm
              key={JSON.stringify(typedOf(record))}
              path={path}
              record={record}
              onDone={read.again}
            />
          )}
        </ReadPanel>
        <SitePanel path={path} />
        {found !== undefined && <DeletePanel path={path} id={project} name={found.name} />}
      </div>
    </>
  )
}
