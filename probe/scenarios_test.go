package probe

// scenario is a conversation with summaries of it. Of a summary every line holds about one fact, so dropping every
// other line is a summary that forgot half of them.
type scenario struct {
	name    string
	talk    string
	quoting string // keeps the words of the transcript
	telling string // says the same in words of its own
	// twists turn a true summary into one that contradicts something critical: the first text is replaced by the second.
	twists [][2]string
}

var scenarios = []scenario{
	{
		name: "service port and database",
		talk: `
user: Build a small HTTP service for the billing team that lists unpaid invoices. The service must listen on port 8080.
assistant: I'll start with the handler.
tool write_file {"path":"internal/invoice/handler.go","content":"package invoice"} => ok
user: Never log customer names, not even at debug level.
assistant: Understood. We decided to use SQLite instead of PostgreSQL because the team runs a single node.
tool edit_file {"path":"cmd/billing/main.go","old":"a","new":"b"} => ok
tool bash {"command":"go test ./..."} => --- FAIL: TestUnpaidOnly (0.02s)
 FAIL	billing/internal/invoice	0.031s
user: Let's go with cursor pagination rather than offset pagination for the list endpoint.
assistant: Done, the list endpoint pages by cursor now.`,
		quoting: `
Task: Build a small HTTP service for the billing team that lists unpaid invoices.
The service must listen on port 8080.
Rule: Never log customer names, not even at debug level.
Files modified: internal/invoice/handler.go
Files modified: cmd/billing/main.go
Decision: We decided to use SQLite instead of PostgreSQL because the team runs a single node.
Decision: Let's go with cursor pagination rather than offset pagination for the list endpoint.
Open: --- FAIL: TestUnpaidOnly`,
		telling: `
The user wants a small HTTP service listing the unpaid invoices for the billing team.
It has to listen on port 8080.
Customer names must never be logged, even at debug level.
Written so far: internal/invoice/handler.go
Edited: cmd/billing/main.go
SQLite was chosen over PostgreSQL, as the team runs on a single node.
The list endpoint uses cursor pagination instead of offset pagination, as the user asked.
Still failing: TestUnpaidOnly`,
		twists: [][2]string{
			{"port 8080", "port 443"},
			{"Never log customer names", "Log customer names"},
			{"must never be logged", "must be logged"},
			{"cursor pagination rather than offset pagination", "offset pagination rather than cursor pagination"},
			{"uses cursor pagination instead of offset pagination", "uses offset pagination instead of cursor pagination"},
		},
	},
	{
		name: "rust crate",
		talk: `
user: Refactor the error handling of the library crates in this workspace. Use thiserror for typed errors in library crates.
assistant: I'll look at the crates first.
tool read_file {"path":"crates/core/src/lib.rs"} => pub mod config;
tool str_replace {"path":"crates/core/src/error.rs","old_str":"x","new_str":"y"} => replaced
user: Don't touch the public API without asking me.
tool str_replace {"path":"crates/net/src/client.rs","old_str":"x","new_str":"y"} => replaced
assistant: We chose thiserror 1.0 rather than anyhow for the libraries since callers match on variants.
tool bash {"command":"cargo test -p net"} => error[E0432]: unresolved import net::ErrUnknownHost`,
		quoting: `
Task: Refactor the error handling of the library crates in this workspace.
Use thiserror for typed errors in library crates.
Rule: Don't touch the public API without asking me.
Modified: crates/core/src/error.rs
Modified: crates/net/src/client.rs
Decision: We chose thiserror 1.0 rather than anyhow for the libraries since callers match on variants.
Open error: error[E0432]: unresolved import net::ErrUnknownHost`,
		telling: `
The job is refactoring error handling across the library crates of the workspace.
Typed errors in library crates use thiserror.
The public API must not be touched without asking the user.
Changed crates/core/src/error.rs
Changed crates/net/src/client.rs
thiserror 1.0 was chosen over anyhow for the libraries because callers match on variants.
cargo test -p net fails: unresolved import net::ErrUnknownHost`,
		twists: [][2]string{
			{"Don't touch the public API without asking me.", "Touch the public API without asking me."},
			{"must not be touched without asking", "may be touched without asking"},
		},
	},
	{
		name: "deployment",
		talk: `
user: Prepare the deployment of the image resizer to the eu-west-1 region. The version is v2.4.1.
assistant: I'll write the manifests.
tool write {"file_path":"deploy/resizer.yaml","content":"kind: Deployment"} => ok
user: From now on every change goes through the staging cluster first. Never push to the main branch.
assistant: Switched from Helm to Kustomize since the team has no Helm server.
tool write {"file_path":"deploy/overlays/staging/kustomization.yaml","content":"resources"} => ok
tool bash {"command":"kubectl apply -k deploy/overlays/staging"} => error: the server doesn't have a resource type "Rollout"
user: Set the timeout to 30 seconds and keep two replicas.`,
		quoting: `
Prepare the deployment of the image resizer to the eu-west-1 region.
The version is v2.4.1.
From now on every change goes through the staging cluster first.
Never push to the main branch.
deploy/resizer.yaml — created
deploy/overlays/staging/kustomization.yaml — created
Switched from Helm to Kustomize since the team has no Helm server.
error: the server doesn't have a resource type "Rollout"
Set the timeout to 30 seconds and keep two replicas.`,
		telling: `
Goal: get the image resizer ready for deployment in region eu-west-1.
Version to deploy: version v2.4.1.
All changes have to go through the staging cluster first from now on.
Pushing to the main branch is forbidden.
Wrote deploy/resizer.yaml.
Wrote deploy/overlays/staging/kustomization.yaml.
Kustomize replaced Helm because the team has no Helm server: switched from Helm to Kustomize.
kubectl apply fails: the server has no resource type "Rollout".
The user asked for a timeout of 30 seconds and two replicas kept.`,
		twists: [][2]string{
			{"v2.4.1", "v2.4.2"},
			{"Never push to the main branch", "Push to the main branch"},
			{"Pushing to the main branch is forbidden", "Pushing to the main branch is fine"},
			{"30 seconds", "90 seconds"},
		},
	},
	{
		name: "airline booking",
		talk: `
system: You are an airline agent.
user: Hi! I'd like to change my flight from Boston to Denver to a later one on the same day.
assistant: Could you give me your user ID?
user: My user ID is rosa_keller_4412 and the reservation ID is QX7T2P.
tool get_reservation {"reservation_id":"QX7T2P"} => {"flight":"HAT201"}
assistant: I found HAT233 at 5 pm and HAT240 at 8 pm.
user: Let's go with flight HAT240, not HAT233. Only use my travel certificate for the payment.
assistant: The certificate covers it.
tool update_reservation {"reservation_id":"QX7T2P","flight":"HAT240"} => Error: not enough seats on flight HAT240`,
		quoting: `
I'd like to change my flight from Boston to Denver to a later one on the same day.
My user ID is rosa_keller_4412 and the reservation ID is QX7T2P.
Let's go with flight HAT240, not HAT233.
Only use my travel certificate for the payment.
Error: not enough seats on flight HAT240`,
		telling: `
The customer wants to move the Boston to Denver flight to a later one on the same day.
Customer: user ID rosa_keller_4412, reservation ID QX7T2P.
They chose to go with flight HAT240 and not HAT233.
Payment only with the travel certificate.
The update failed: not enough seats on HAT240`,
		twists: [][2]string{
			{"rosa_keller_4412", "rosa_keller_4413"},
			{"QX7T2P", "QX7T3P"},
			{"flight HAT240, not HAT233", "flight HAT233, not HAT240"},
			{"flight HAT240 and not HAT233", "flight HAT233 and not HAT240"},
			{"Only use my travel certificate", "Do not use my travel certificate"},
		},
	},
	{
		name: "unsegmented Chinese",
		talk: `
user: 请重构登录模块，把会话存到 Redis 里。数据库端口是5432。
assistant: 好的，我先看代码。
tool write_file {"path":"src/login/session.ts","content":"export {}"} => ok
user: 不要直接推送到主分支。所有提交必须经过代码审查。
assistant: 我们决定使用 argon2 而不是 bcrypt，因为它更安全。
tool edit_file {"path":"src/login/password.ts","old":"a","new":"b"} => ok
tool bash {"command":"npm test"} => TypeError: session.store is not a function`,
		quoting: `
请重构登录模块，把会话存到 Redis 里。
数据库端口是5432。
不要直接推送到主分支。
所有提交必须经过代码审查。
src/login/session.ts
src/login/password.ts
我们决定使用 argon2 而不是 bcrypt，因为它更安全。
TypeError: session.store is not a function`,
		telling: `
任务：重构登录模块，会话要存到 Redis。
数据库的端口是5432。
禁止直接推送到主分支。
提交都必须经过代码审查。
已写 src/login/session.ts
已改 src/login/password.ts
决定使用 argon2 而不是 bcrypt，原因是更安全。
未解决：TypeError: session.store is not a function`,
		twists: [][2]string{
			{"不要直接推送到主分支", "可以直接推送到主分支"},
			{"禁止直接推送到主分支", "可以直接推送到主分支"},
		},
	},
	{
		name: "German",
		talk: `
user: Bitte baue die Suche im Kundenportal um, damit sie Umlaute findet. Der Dienst läuft auf Port 9200.
assistant: Ich sehe mir den Index an.
tool write_file {"path":"portal/suche/index.py","content":"x"} => ok
user: Niemals direkt auf der Produktionsdatenbank testen!
assistant: Wir haben uns für Meilisearch statt Elasticsearch entschieden, weil der Betrieb einfacher ist.
tool edit_file {"path":"portal/suche/abfrage.py","old":"a","new":"b"} => ok
tool bash {"command":"pytest portal"} => UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3`,
		quoting: `
Bitte baue die Suche im Kundenportal um, damit sie Umlaute findet.
Der Dienst läuft auf Port 9200.
Niemals direkt auf der Produktionsdatenbank testen!
portal/suche/index.py geschrieben
portal/suche/abfrage.py geändert
Wir haben uns für Meilisearch statt Elasticsearch entschieden, weil der Betrieb einfacher ist.
UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3`,
		telling: `
Aufgabe: die Suche im Kundenportal so umbauen, dass sie Umlaute findet.
Dienst auf Port 9200.
Tests nie direkt auf der Produktionsdatenbank; also nicht auf ihr testen.
Datei portal/suche/index.py
Datei portal/suche/abfrage.py
Für Meilisearch statt Elasticsearch entschieden, weil einfacher im Betrieb.
Offen: UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3`,
		twists: [][2]string{
			{"Port 9200", "Port 9300"},
			{"Niemals direkt auf der Produktionsdatenbank testen!", "Direkt auf der Produktionsdatenbank testen!"},
		},
	},
	{
		name: "coding agent with client records",
		talk: `
user: /mode
user: <command-message>init</command-message><command-name>/init</command-name>
user: <system-reminder>Today is Tuesday. Always be brief.</system-reminder>Port the settings dialog to the new theme system, following the pattern of model_selector.ts.
assistant: I'll read the selector first.
tool Read {"file_path":"packages/ui/src/model_selector.ts"} => export class ModelSelector {}
tool Edit {"file_path":"packages/ui/src/settings_dialog.ts","old_string":"a","new_string":"b"} => updated
user: [Request interrupted by user]
user: use rgb values in the themes instead of palette indices. Themes must never crash the app.
tool Edit {"file_path":"packages/ui/src/theme/dark.json","old_string":"a","new_string":"b"} => updated
tool bash {"command":"npx tsc --noEmit"} => src/theme.ts(443,3): error TS2353: Object literal may only specify known properties
assistant: The dark theme has pure RGB values now.
user: make the muted gray a little brighter and check it in the footer`,
		quoting: `
Port the settings dialog to the new theme system, following the pattern of model_selector.ts.
use rgb values in the themes instead of palette indices.
Themes must never crash the app.
packages/ui/src/settings_dialog.ts
packages/ui/src/theme/dark.json
src/theme.ts(443,3): error TS2353: Object literal may only specify known properties
make the muted gray a little brighter and check it in the footer`,
		telling: `
The task is porting the settings dialog to the new theme system along the pattern of model_selector.ts.
Themes use rgb values rather than palette indices.
A theme must never crash the app.
Edited packages/ui/src/settings_dialog.ts
Edited packages/ui/src/theme/dark.json
tsc still reports TS2353 in src/theme.ts: object literal may only specify known properties
Latest request: brighten the muted gray a little, then check it in the footer`,
		twists: [][2]string{
			{"Themes must never crash the app", "Themes must always crash the app"},
			{"must never crash the app", "may crash the app"},
			{"use rgb values in the themes instead of palette indices", "use palette indices in the themes instead of rgb values"},
			{"use rgb values rather than palette indices", "use palette indices rather than rgb values"},
		},
	},
	{
		name: "data pipeline",
		talk: `
user: Write a nightly job that exports the orders table as parquet to the bucket acme-orders-raw. Keep at most 1,000,000 rows per file.
assistant: I'll use the existing scheduler.
tool create_file {"path":"jobs/export_orders.py","contents":"x"} => created
user: Always compress with zstd. Do not delete old partitions unless I say so.
assistant: We decided on Dagster because Airflow needs its own database.
tool apply_patch {"input":"*** Begin Patch\n*** Update File: jobs/schedule.yaml\n@@\n*** End Patch"} => done
tool bash {"command":"python jobs/export_orders.py --dry-run"} => PermissionError: s3:PutObject denied on acme-orders-raw`,
		quoting: `
Write a nightly job that exports the orders table as parquet to the bucket acme-orders-raw.
Keep at most 1,000,000 rows per file.
Always compress with zstd.
Do not delete old partitions unless I say so.
jobs/export_orders.py
jobs/schedule.yaml
We decided on Dagster because Airflow needs its own database.
PermissionError: s3:PutObject denied on acme-orders-raw`,
		telling: `
A nightly job should export the orders table to the bucket acme-orders-raw as parquet.
No file may hold more than 1000000 rows.
Compression is always zstd.
Old partitions are only deleted when the user says so.
Created jobs/export_orders.py
Patched jobs/schedule.yaml
Dagster was chosen because Airflow needs a database of its own.
Blocked: s3:PutObject denied on acme-orders-raw (PermissionError)`,
		twists: [][2]string{
			{"Do not delete old partitions unless I say so", "Delete old partitions"},
			{"Old partitions are only deleted when the user says so", "Old partitions are deleted"},
			{"Always compress with zstd", "Never compress with zstd"},
			{"Compression is always zstd", "Compression is never zstd"},
		},
	},
}
