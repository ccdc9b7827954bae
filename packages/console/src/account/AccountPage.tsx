import { me } from "../app/Account.ts"
import { AuditPanel } from "../audit/AuditPanel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { InvitationsPanel } from "./InvitationsPanel.tsx"
import { TokensPanel } from "./TokensPanel.tsx"

/** The reader's own account: its logins, whom it invites, and what it did. */
export const AccountPage = () => (
  <>
    <div class="page-head">
      <h1>
        Account <Tenant text={me.value?.name ?? ""} max={128} />
      </h1>
    </div>
    <div class="panels">
      <TokensPanel />
      <InvitationsPanel />
      <AuditPanel
        path="/v1/me/audit?limit=200"
        command={{ words: ["audit"], flags: { account: null, limit: 200 } }}
      />
    </div>
  </>
)
