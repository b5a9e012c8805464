package probe

// lateScenarios were written when the scorer was done with the others, and first run unseen.
var lateScenarios = []scenario{
	{
		name: "mobile app",
		talk: `
user: I'm getting crash reports from the checkout screen on Android 14. Please find the cause and fix it.
assistant: I'll start with the stack trace.
tool grep {"pattern":"CheckoutViewModel","path":"app/src"} => app/src/main/java/shop/CheckoutViewModel.kt:12: class CheckoutViewModel
tool replace_in_file {"path":"app/src/main/java/shop/CheckoutViewModel.kt","diff":"x"} => ok
user: please don't add any new dependencies. And keep minSdk at 26.
assistant: We went with a StateFlow instead of LiveData because the rest of the module already uses coroutines.
tool replace_in_file {"path":"app/build.gradle.kts","diff":"x"} => ok
tool execute_command {"command":"./gradlew :app:testDebugUnitTest"} => CheckoutViewModelTest > emptyCart FAILED
 java.lang.IllegalStateException: Module with the Main dispatcher had failed to initialize
user: the sentry project is shop-android-7f3 by the way`,
		quoting: `
I'm getting crash reports from the checkout screen on Android 14.
Please find the cause and fix it.
please don't add any new dependencies.
keep minSdk at 26
app/src/main/java/shop/CheckoutViewModel.kt
app/build.gradle.kts
We went with a StateFlow instead of LiveData because the rest of the module already uses coroutines.
java.lang.IllegalStateException: Module with the Main dispatcher had failed to initialize
the sentry project is shop-android-7f3 by the way`,
		telling: `
Checkout screen crashes on Android 14 (crash reports); find the cause and fix it.
No new dependencies may be added.
minSdk stays at 26.
Modified: shop/CheckoutViewModel.kt under app/src/main/java (app/src/main/java/shop/CheckoutViewModel.kt)
Modified: app/build.gradle.kts
StateFlow was chosen over LiveData since the module already uses coroutines.
Unit test emptyCart fails with IllegalStateException: Module with the Main dispatcher had failed to initialize.
Sentry project: shop-android-7f3`,
		twists: [][2]string{
			{"please don't add any new dependencies", "please add any new dependencies"},
			{"No new dependencies may be added", "New dependencies may be added"},
			{"shop-android-7f3", "shop-android-7f8"},
			{"StateFlow instead of LiveData", "LiveData instead of StateFlow"},
			{"StateFlow was chosen over LiveData", "LiveData was chosen over StateFlow"},
		},
	},
	{
		name: "terraform",
		talk: `
user: Move our terraform state to an S3 backend. Use the bucket tf-state-prod-eu and DynamoDB locking.
assistant: Reading the current configuration.
tool view_file {"path":"infra/main.tf"} => terraform {}
tool edit_file {"target_file":"infra/backend.tf","code_edit":"x"} => ok
user: Under no circumstances run terraform apply yourself. Only plan.
assistant: I decided to keep one state per environment rather than workspaces, because workspaces share credentials.
tool edit_file {"target_file":"infra/modules/vpc/variables.tf","code_edit":"x"} => ok
tool run_terminal_cmd {"command":"terraform plan"} => Error: Backend initialization required, please run "terraform init"
user: the AWS account is 4410-2231-9087, region eu-central-1`,
		quoting: `
Move our terraform state to an S3 backend.
Use the bucket tf-state-prod-eu and DynamoDB locking.
infra/backend.tf
infra/modules/vpc/variables.tf
Under no circumstances run terraform apply yourself.
Only plan.
I decided to keep one state per environment rather than workspaces, because workspaces share credentials.
Error: Backend initialization required, please run "terraform init"
the AWS account is 4410-2231-9087, region eu-central-1`,
		telling: `
Terraform state is to be moved to an S3 backend.
It uses the bucket tf-state-prod-eu with DynamoDB locking.
Edited infra/backend.tf.
Edited infra/modules/vpc/variables.tf.
Never run terraform apply; the user forbade it under any circumstances.
terraform plan only.
One state per environment was kept instead of workspaces, since workspaces share credentials.
terraform plan stops at: Backend initialization required, run "terraform init".
AWS account 4410-2231-9087 in region eu-central-1`,
		twists: [][2]string{
			{"Under no circumstances run terraform apply", "Under all circumstances run terraform apply"},
			{"Never run terraform apply; the user forbade it under any circumstances.", "Run terraform apply under any circumstances."},
			{"rather than workspaces, because", "and workspaces, because"},
		},
	},
	{
		name: "sql report",
		talk: `
user: I need a monthly report of churned customers by plan, as a SQL view.
assistant: Let me look at the schema.
tool query {"sql":"select 1"} => 1
tool write_to_file {"path":"reports/views/churn_by_plan.sql","content":"x"} => ok
user: a customer counts as churned after 45 days without a login. never join on email, always on customer_id
assistant: Going with a materialized view rather than a plain view because the base table has 80 million rows.
tool query {"sql":"refresh materialized view churn_by_plan"} => ERROR: permission denied for schema reporting
user: refresh it at 06:30 every morning`,
		quoting: `
I need a monthly report of churned customers by plan, as a SQL view.
a customer counts as churned after 45 days without a login
never join on email, always on customer_id
reports/views/churn_by_plan.sql
Going with a materialized view rather than a plain view because the base table has 80 million rows.
ERROR: permission denied for schema reporting
refresh it at 06:30 every morning`,
		telling: `
Goal: a SQL view reporting churned customers per plan monthly.
Churned means 45 days without login.
Joins must be on customer_id and never on email.
File: reports/views/churn_by_plan.sql (written)
A materialized view was chosen over a plain one because the base table holds 80 million rows.
Open: permission denied for schema reporting on refresh
The view should be refreshed every morning at 06:30`,
		twists: [][2]string{
			{"never join on email, always on customer_id", "always join on email, never on customer_id"},
			{"on customer_id and never on email", "on email and never on customer_id"},
			{"a materialized view rather than a plain view", "a plain view rather than a materialized view"},
		},
	},
	{
		name: "support chat",
		talk: `
user: Hello, my washing machine order hasn't arrived. The order number is WM-77120.
assistant: I'm sorry. Let me check.
tool lookup_order {"order":"WM-77120"} => {"status":"in depot"}
user: I only accept delivery after 6 pm. Do not call my work phone.
assistant: I'll note that. The depot offers Thursday or Saturday.
user: Let's go with Saturday, not Thursday.
tool schedule {"order":"WM-77120","day":"Saturday"} => {"error":"slot taken"}
user: then send the confirmation to lena.brandt@example.org`,
		quoting: `
my washing machine order hasn't arrived
The order number is WM-77120.
I only accept delivery after 6 pm.
Do not call my work phone.
Let's go with Saturday, not Thursday.
slot taken
then send the confirmation to lena.brandt@example.org`,
		telling: `
The customer's washing machine order has not arrived.
Order number WM-77120.
Delivery is accepted only after 6 pm.
The work phone must not be called.
Saturday was chosen and not Thursday.
Scheduling failed: slot taken.
Confirmation goes to lena.brandt@example.org`,
		twists: [][2]string{
			{"Do not call my work phone", "Call my work phone"},
			{"The work phone must not be called", "The work phone should be called"},
			{"Saturday, not Thursday", "Thursday, not Saturday"},
			{"Saturday was chosen and not Thursday", "Thursday was chosen and not Saturday"},
			{"WM-77120", "WM-77210"},
		},
	},
	{
		name: "japanese and english",
		talk: `
user: ログイン画面のバグを修正してください。本番データベースには絶対に接続しないでください。
assistant: まずコードを確認します。
tool write_file {"path":"web/login/form.tsx","content":"x"} => ok
user: ステージングのポートは6543です。
assistant: 了解しました。
tool edit_file {"path":"web/login/api.ts","old":"a","new":"b"} => ok
tool bash {"command":"pnpm test"} => ReferenceError: fetchUser is not defined`,
		quoting: `
ログイン画面のバグを修正してください。
本番データベースには絶対に接続しないでください。
web/login/form.tsx
web/login/api.ts
ステージングのポートは6543です。
ReferenceError: fetchUser is not defined`,
		telling: `
タスク: ログイン画面のバグの修正。
本番データベースには絶対に接続しない。
web/login/form.tsx を作成
web/login/api.ts を編集
ステージングのポート: 6543
pnpm test: ReferenceError: fetchUser is not defined`,
		twists: [][2]string{
			{"絶対に接続しないでください", "接続してください"},
			{"絶対に接続しない", "接続する"},
		},
	},
	{
		name: "library api",
		talk: `
user: We want to release version 4.0.0 of the http client. Rename Client.Do to Client.Send everywhere.
assistant: I'll search the usages.
tool search_files {"query":"Client.Do"} => httpx/client.go:40
tool apply_diff {"path":"httpx/client.go","diff":"x"} => applied
user: You should never remove an exported symbol without a deprecation note.
assistant: We decided against generics for the response type, because Go 1.17 users could not build it.
tool apply_diff {"path":"httpx/retry/backoff.go","diff":"x"} => applied
tool shell {"command":"go vet ./..."} => httpx/retry/backoff.go:18:2: undefined: jitterFor
user: set the max retries to 12 and document it in docs/retries.md`,
		quoting: `
We want to release version 4.0.0 of the http client.
Rename Client.Do to Client.Send everywhere.
You should never remove an exported symbol without a deprecation note.
httpx/client.go
httpx/retry/backoff.go
We decided against generics for the response type, because Go 1.17 users could not build it.
httpx/retry/backoff.go:18:2: undefined: jitterFor
set the max retries to 12 and document it in docs/retries.md`,
		telling: `
Version 4.0.0 of the http client is to be released.
Client.Do is renamed to Client.Send everywhere.
Exported symbols must never be removed without a deprecation note.
Changed httpx/client.go
Changed httpx/retry/backoff.go
Generics for the response type were decided against because Go 1.17 users could not build it.
go vet: undefined: jitterFor in httpx/retry/backoff.go
Max retries: 12, documented in docs/retries.md`,
		twists: [][2]string{
			{"version 4.0.0", "version 4.1.0"},
			{"Version 4.0.0", "Version 4.1.0"},
			{"You should never remove an exported symbol", "You should remove an exported symbol"},
			{"must never be removed", "must be removed"},
			{"max retries to 12", "max retries to 21"},
			{"Max retries: 12", "Max retries: 21"},
		},
	},
}
