import { AuditPanel } from "../audit/AuditPanel.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ApiKeysPanel } from "./ApiKeysPanel.tsx"
import { JwtPanel } from "./JwtPanel.tsx"

/** The API keys and the JWT secret of a project, and its audit. */
export const KeysPage = ({ project }: { project: string }) => (
  <>
    <PageHead project={project} title="Keys and audit" />
    <div class="panels">
      <ApiKeysPanel project={project} />
      <JwtPanel project={project} />
      <AuditPanel
        path={`/v1/projects/${encodeURIComponent(project)}/audit?limit=200`}
        command={{ words: ["audit"], flags: { limit: 200, project } }}
      />
    </div>
  </>
)
