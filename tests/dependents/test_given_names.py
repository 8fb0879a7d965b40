import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

URLS = 'from django.urls import path\n\nurlpatterns = [\n    path("pay/", v, name="checkout"),\n    path("x/", v, name="about"),\n]\n'
PAY = '    path("pay/", v, name="checkout"),\n'
LINES = URLS.replace(PAY, '    path(\n        "pay/",\n        v,\n        name="checkout",\n    ),\n')
SHOP = URLS.replace("urlpatterns", 'app_name = "shop"\nurlpatterns')
PATTERN = URLS.replace('path("pay/"', 're_path(r"^pay/$"')
FLASK = '@app.route("/")\n@login\ndef index():\n    return 1\n\n\n@app.route("/b")\ndef about():\n    return 1\n'
STARLETTE = 'ROUTES = [\n    Route("/pay", pay, name="checkout"),\n    Route("/x", x),\n]\n'
PYRAMID = 'config.add_route("checkout", "/pay")\nconfig.add_route("about", "/x")\n'
REST = 'router.register("orders", Orders, basename="order")\nrouter.register("x", X, basename="tax")\n'
LARAVEL = (
    "<?php\nRoute::get('/pay', [C::class, 'pay'])->name('%s');\nRoute::get('/x', [C::class, 'x'])->name('about');\n"
)
GROUP = "<?php\nRoute::name('admin.')->group(function () {\n    Route::get('/u', 'u')->name('users');\n});\n"
RESOURCE = "<?php\nRoute::resource('orders', C::class);\nRoute::resource('users', U::class);\n"
SYMFONY = "<?php\nclass C {\n    #[Route('/pay', name: 'checkout')]\n    public function pay() {}\n}\n"
RAILS = "Rails.application.routes.draw do\n%s  resources :users do\n    resources :carts\n    member do\n      post :pay\n    end\n    get :search, on: :collection\n  end\nend\n"
HELPER = "<%= link_to 'x', {}_path %>\n"
VUE = 'export const routes = [\n  { path: "/o", name: "checkout" },\n  { path: "/p", name: "about" },\n];\n'
VUE_LINES = 'export default createRouter({ routes: [\n  {\n    path: "/o",\n    component: Order,\n    name: "checkout",\n  },\n] });\n'
PAGE = '<p id="%s"></p>\n<p id="rest"></p>\n<script src="a.js"></script>\n'
FORM = '<form method="post">\n<input name="%s">\n<input name="rest">\n</form>\n'
SHOW = 'def show():\n    return render("a.html")\n\n\n'
SASS = "$%s: red;\n$rest: blue;\n"
CSS = ":root {\n  --brand: red;\n  --rest: blue;\n}\n"
ASKS_PYTHON = {
    "redirect": ("v.py", 'def f(r):\n    return redirect("checkout")\n', 2),
    "reverse": ("v.py", 'X = reverse("checkout", args=[1])\n', 1),
    "reverse over lines": ("v.py", 'X = reverse_lazy(\n    "checkout",\n    args=[1],\n)\n', 2),
    "a page": ("templates/a.html", "<a href=\"{% url 'checkout' %}\">x</a>\n", 1),
    "a page with an argument": ("templates/a.html", '<p>\n{% url "checkout" order.id as link %}\n', 2),
    "a setting": ("settings.py", 'LOGIN_URL = "checkout"\n', 1),
    "a view": ("v.py", 'class V(RedirectView):\n    pattern_name = "checkout"\n', 2),
    "a serializer": ("v.py", 'link = HyperlinkedIdentityField(view_name="checkout")\n', 1),
}
# what -> (file, before, what goes of it, what takes its place, (who asks, its text, line))
ASKED = {
    **{f"a route of Django, asked for by {what}": ("shop/urls.py", URLS, PAY, "", reader) for what, reader in ASKS_PYTHON.items()},
    **{f"a route of Django that is renamed, asked for by {what}": ("shop/urls.py", URLS, '"checkout"', '"settle"', reader) for what, reader in ASKS_PYTHON.items()},
    "a route of Django over lines": ("shop/urls.py", LINES, "checkout", "settle", ASKS_PYTHON["redirect"]),
    "a route of Django with a pattern": ("shop/urls.py", PATTERN, '"checkout"', '"settle"', ASKS_PYTHON["redirect"]),
    "a route of Django without its name": ("shop/urls.py", URLS, ', name="checkout"', "", ASKS_PYTHON["redirect"]),
    "a route of an application of Django": ("shop/urls.py", SHOP, PAY, "", ("a.html", "{% url 'shop:checkout' %}\n", 1)),
    "the name of an application of Django": ("shop/urls.py", SHOP, '"shop"', '"store"', ("a.html", "{% url 'shop:checkout' %}\n", 1)),
    "a route of Django's REST framework": ("urls.py", REST, '"order"', '"purchase"', ("v.py", 'X = reverse("order-list")\n', 1)),
    "a view of Flask": ("app.py", FLASK, "def index", "def start", ("a.html", "<a href=\"{{ url_for('index') }}\">\n", 1)),
    "a view of a blueprint": ("shop.py", FLASK.replace("@app", "@bp"), "def index", "def start", ("a.html", "<a href=\"{{ url_for('shop.index') }}\">\n", 1)),
    "a blueprint": ("shop.py", 'bp = Blueprint("shop", __name__)\n', '"shop"', '"store"', ("v.py", 'X = url_for("shop.index")\n', 1)),
    "an endpoint of Flask": ("app.py", 'app.add_url_rule("/", endpoint="start", view_func=f)\n', '"start"', '"home"', ("v.py", 'X = url_for("start")\n', 1)),
    "a route of Starlette": ("app.py", STARLETTE, "checkout", "settle", ("v.py", 'X = request.url_for("checkout")\n', 1)),
    "a route of Pyramid": ("app.py", PYRAMID, '"checkout"', '"settle"', ("v.py", '@view_config(route_name="checkout")\ndef v(r):\n    pass\n', 1)),
    "a route of Pyramid, in code": ("app.py", PYRAMID, '"checkout"', '"settle"', ("v.py", 'X = request.route_url("checkout")\n', 1)),
    "a route of Laravel in Blade": ("routes/web.php", LARAVEL % "basket", "'basket'", "'trolley'", ("a.blade.php", "<a href=\"{{ route('basket') }}\">\n", 1)),
    "a route of Laravel with joined words": ("routes/web.php", LARAVEL % "orders.show", "orders.show", "orders.display", ("a.php", "<?php\nreturn redirect()->route('orders.show', 1);\n", 2)),
    "a route of Laravel that goes": ("routes/web.php", LARAVEL % "orders.show", "Route::get('/pay', [C::class, 'pay'])->name('orders.show');\n", "", ("a.php", "<?php\nreturn to_route('orders.show');\n", 2)),
    "a route of Laravel that is asked about": ("routes/web.php", LARAVEL % "basket", "'basket'", "'trolley'", ("a.php", "<?php\nif (request()->routeIs('basket')) {}\n", 2)),
    "a route of Laravel in a script": ("routes/web.php", LARAVEL % "basket", "'basket'", "'trolley'", ("a.vue", "<template><a :href=\"route('basket')\">x</a></template>\n", 1)),
    "a route of Laravel over lines": ("routes/web.php", LARAVEL % "orders.show", "orders.show", "orders.display", ("a.php", "<?php\nreturn redirect()->route(\n    'orders.show',\n    1,\n);\n", 3)),
    "a route of a group": ("routes/web.php", GROUP, "'users'", "'people'", ("a.php", "<?php\nreturn route('admin.users');\n", 2)),
    "a group of routes": ("routes/web.php", GROUP, "'admin.'", "'staff.'", ("a.php", "<?php\nreturn route('admin.users');\n", 2)),
    "a resource of Laravel": ("routes/web.php", RESOURCE, "Route::resource('orders', C::class);\n", "", ("a.php", "<?php\nreturn route('orders.edit', 1);\n", 2)),
    "a route of Symfony": ("src/C.php", SYMFONY, "'checkout'", "'settle'", ("a.html.twig", "<a href=\"{{ path('checkout') }}\">\n", 1)),
    "a route of Symfony, in code": ("src/C.php", SYMFONY, "'checkout'", "'settle'", ("src/D.php", "<?php\nreturn $this->redirectToRoute('checkout');\n", 2)),
    "a helper of Rails, of resources": ("config/routes.rb", RAILS % "  resources :orders\n", "  resources :orders\n", "", ("app/views/a.html.erb", HELPER.format("orders"), 1)),
    "a helper of Rails, of one of the resources": ("config/routes.rb", RAILS % "  resources :orders\n", "  resources :orders\n", "", ("app/views/a.html.erb", HELPER.format("order"), 1)),
    "a helper of Rails, of a form of resources": ("config/routes.rb", RAILS % "  resources :orders\n", "  resources :orders\n", "", ("app/views/a.html.erb", HELPER.format("new_order"), 1)),
    "a helper of Rails, of a singular that is not regular": ("config/routes.rb", RAILS % "  resources :addresses, :companies\n", "  resources :addresses, :companies\n", "", ("app/views/a.html.erb", HELPER.format("edit_company"), 1)),
    "a helper of Rails, of a single resource": ("config/routes.rb", RAILS % "  resource :basket\n", "  resource :basket\n", "", ("app/views/a.html.erb", HELPER.format("edit_basket"), 1)),
    "a helper of Rails, of a name of its own": ("config/routes.rb", RAILS % "  get '/pay/:id', to: 'p#show', as: :order_payment\n", "  get '/pay/:id', to: 'p#show', as: :order_payment\n", "", ("app/views/a.html.erb", HELPER.format("order_payment"), 1)),
    "a helper of Rails, of a name of its own in an older form": ("config/routes.rb", RAILS % "  get '/pay/:id' => 'p#show',\n    :as => 'order_payment'\n", "  get '/pay/:id' => 'p#show',\n    :as => 'order_payment'\n", "", ("app/views/a.html.erb", HELPER.format("order_payment"), 1)),
    "a helper of Rails, of a path": ("config/routes.rb", RAILS % "  get 'about/us', to: 'p#us'\n", "  get 'about/us', to: 'p#us'\n", "", ("app/views/a.html.erb", HELPER.format("about_us"), 1)),
    "a helper of Rails, of a namespace": ("config/routes.rb", RAILS % "  namespace :admin do\n    resources :orders\n  end\n", "  namespace :admin do\n    resources :orders\n  end\n", "", ("app/views/a.html.erb", HELPER.format("admin_orders"), 1)),
    "a helper of Rails, of a scope": ("config/routes.rb", RAILS % "  scope '/x', as: 'shop' do\n    get :basket\n  end\n", "  scope '/x', as: 'shop' do\n    get :basket\n  end\n", "", ("app/views/a.html.erb", HELPER.format("shop_basket"), 1)),
    "a helper of Rails, of the first page": ("config/routes.rb", RAILS % "  root to: 'p#us'\n", "  root to: 'p#us'\n", "", ("app/views/a.html.erb", HELPER.format("root"), 1)),
    "a helper of Rails, of an engine": ("config/routes.rb", RAILS % "  mount Shop::Engine => '/shop', as: :storefront\n", "  mount Shop::Engine => '/shop', as: :storefront\n", "", ("app/views/a.html.erb", HELPER.format("storefront"), 1)),
    "a helper of Rails that is called on the application": ("config/routes.rb", RAILS % "  resources :orders\n", ":orders", ":purchases", ("app/a.rb", "x = Rails.application.routes.url_helpers.order_url(1)\n", 1)),
    "a helper of Rails, of a member": ("config/routes.rb", RAILS % "", "post :pay", "post :settle", ("app/a.rb", "redirect_to pay_user_path(1)\n", 1)),
    "a helper of Rails, of a collection": ("config/routes.rb", RAILS % "", "get :search", "get :find", ("app/a.rb", "redirect_to search_users_path\n", 1)),
    "a helper of Rails, of nested resources": ("config/routes.rb", RAILS % "", "    resources :carts\n", "", ("app/a.rb", "redirect_to edit_user_cart_path(1, 2)\n", 1)),
    "a helper of Rails whose action goes": ("config/routes.rb", RAILS % "  resources :orders\n", ":orders", ":orders, only: [:index, :new]", ("app/a.rb", "redirect_to order_path(1)\n", 1)),
    "a route of Vue": ("src/router.js", VUE, '  { path: "/o", name: "checkout" },\n', "", ("src/V.vue", "<template><router-link :to=\"{ name: 'checkout' }\">x</router-link></template>\n", 1)),
    "a route of Vue that is renamed": ("src/router.ts", VUE, '"checkout"', '"settle"', ("src/a.ts", "router.push({\n  name: 'checkout',\n  params: {},\n});\n", 2)),
    "a route of Vue over lines": ("src/router.ts", VUE_LINES, '"checkout"', '"settle"', ("src/a.ts", "if (route.name === 'checkout') go();\n", 1)),
    "a route of Vue, redirected to": ("src/router.ts", VUE, '"checkout"', '"settle"', ("src/a.ts", "export const more = [{ path: '/y', redirect: { name: 'checkout' } }];\n", 1)),
    "an element": ("index.html", PAGE % "order-total", '<p id="order-total"></p>\n', "", ("a.js", 'document.getElementById("order-total").textContent = 1;\n', 1)),
    "an element of two words": ("index.html", PAGE % "orderTotal", '<p id="orderTotal"></p>\n', "", ("a.js", 'document.querySelector("#orderTotal .x").value = 1;\n', 1)),
    "an element of one word": ("index.html", PAGE % "total", '<p id="total"></p>\n', "", ("a.js", '$("#total").hide();\n', 1)),
    "an element of one word that is renamed": ("index.html", PAGE % "total", '"total"', '"amount"', ("a.ts", "const x = document.getElementById('total');\n", 1)),
    "an element and its label": ("index.html", PAGE % "total" + '<label for="total">x</label>\n', '<p id="total"></p>\n', "", ("index.html", "", 3)),
    "a field": ("templates/a.html", FORM % "order_sum", '<input name="order_sum">\n', "", ("app.py", 'X = request.form["order_sum"]\n', 1)),
    "a field of one word": ("templates/a.html", FORM % "amount", '<input name="amount">\n', "", ("app.py", SHOW + 'X = request.form["amount"]\n', 5)),
    "a field of one word that is renamed": ("templates/a.html", FORM % "amount", '"amount"', '"price"', ("app.py", SHOW + 'X = request.POST.get("amount")\n', 5)),
    "a field over lines": ("templates/a.html", '<textarea\n  class="x"\n  name="order_note"\n></textarea>\n', "order_note", "note_text", ("a.php", "<?php\necho $_POST['order_note'];\n", 2)),
    "a field that PHP reads": ("a.php", FORM % "order_sum", '<input name="order_sum">\n', "", ("b.php", "<?php\n$x = $request->input('order_sum');\n", 2)),
    "a field that Ruby reads": ("a.html", FORM % "order_sum", '<input name="order_sum">\n', "", ("b.rb", "x = params[:order_sum]\n", 1)),
    "a field that Go reads": ("a.html", FORM % "order_sum", '<input name="order_sum">\n', "", ("b.go", 'package b\n\nvar X = r.FormValue("order_sum")\n', 3)),
    "a field that Java reads": ("a.html", FORM % "order_sum", '<input name="order_sum">\n', "", ("B.java", 'class B {\n  String x = request.getParameter("order_sum");\n}\n', 2)),
    "a field that a script reads": ("a.html", FORM % "order_sum", '<input name="order_sum">\n', "", ("b.js", "app.post('/', (req) => req.body.order_sum);\n", 1)),
    "a field that a script finds": ("a.html", FORM % "order_sum", '<input name="order_sum">\n', "", ("b.js", "find(`[name=order_sum]`);\n", 1)),
    "a variable of Sass": ("src/_vars.scss", SASS % "brand-color", "$brand-color: red;\n", "", ("src/b.scss", '@import "vars";\np { color: $brand-color; }\n', 2)),
    "a variable of Sass of one word": ("src/_vars.scss", SASS % "brand", "$brand", "$primary", ("src/b.scss", '@use "vars";\np { color: vars.$brand; }\n', 2)),
    "a variable of Sass that two files set": ("src/_vars.scss", SASS % "brand", "$brand: red;\n", "", ("src/b.vue", '<style lang="scss">\n@import "@/vars";\np { color: $brand; }\n</style>\n', 3)),
    "a mixin": ("src/_mixins.scss", "@mixin row($a) { x: $a; }\n", "row", "line", ("src/b.scss", '@use "mixins" as m;\np { @include m.row(1); }\n', 2)),
    "a function of Sass": ("src/_f.scss", "@function double($a) { @return $a * 2; }\n", "double", "twice", ("src/b.scss", '@import "f";\np { width: double(2px); }\n', 2)),
    "a variable of Less": ("src/vars.less", "@brand: red;\n@rest: blue;\n", "@brand: red;\n", "", ("src/b.less", "p { color: @brand; }\n", 1)),
    "a property of CSS": ("src/a.css", CSS, "--brand", "--primary", ("src/b.css", "p { color: var(--brand); }\n", 1)),
    "a property of CSS that a script reads": ("src/a.css", CSS, "  --brand: red;\n", "", ("src/b.js", 'x = getComputedStyle(e).getPropertyValue("--brand");\n', 1)),
}  # fmt: skip
# what -> (file, before, what goes of it, what takes its place, other files)
SILENT = {
    "a route that another file gives": ("shop/urls.py", URLS, PAY, "", {"shop/more.py": URLS, "v.py": 'X = reverse("checkout")\n'}),
    "a route that moves": ("shop/urls.py", URLS, PAY, '    path("settle/", v, name="checkout"),\n', {"v.py": 'X = reverse("checkout")\n'}),
    "a route of another application": ("shop/urls.py", SHOP, PAY, "", {"blog/urls.py": SHOP.replace('"shop"', '"blog"'), "v.py": 'X = reverse("blog:checkout")\n'}),
    "a path": ("shop/urls.py", URLS, PAY, "", {"v.py": 'X = open("checkout")\n'}),
    "a key of data": ("shop/urls.py", URLS, PAY, "", {"v.py": 'X = data["checkout"]\ny = data.get("checkout")\n'}),
    "an argument of another call": ("shop/urls.py", 'x = f(\n    name="checkout",\n)\n', "checkout", "settle", {"v.py": 'X = reverse("checkout")\n'}),
    "a test": ("shop/urls.py", URLS, PAY, "", {"tests/test_v.py": 'X = reverse("checkout")\n'}),
    "a comment": ("shop/urls.py", URLS, PAY, "", {"v.py": '# X = reverse("checkout")\n'}),
    "a function without a route": ("app.py", "def index():\n    return 1\n", "index", "start", {"a.html": "{{ url_for('index') }}\n"}),
    "a field of another framework": ("app.php", "<?php\n$f->name('basket');\n", "'basket'", "'trolley'", {"a.php": "<?php\n$x = $data['basket'];\n"}),
    "a route of Laravel that another file gives": ("routes/web.php", LARAVEL % "basket", "'basket'", "'trolley'", {"routes/b.php": LARAVEL % "basket", "a.php": "<?php\nreturn route('basket');\n"}),
    "a resource whose routes are given one by one": ("routes/web.php", RESOURCE, "Route::resource('orders', C::class);\n", "Route::get('/o', 'f')->name('orders.edit');\n", {"a.php": "<?php\nreturn route('orders.edit');\n"}),
    "resources that move to another file": ("config/routes.rb", RAILS % "  resources :orders\n", "  resources :orders\n", "", {"config/routes/shop.rb": "resources :orders\n", "app/a.rb": "redirect_to orders_path\n"}),
    "resources of other actions": ("config/routes.rb", RAILS % "  resources :orders\n", ":orders", ":orders, except: :destroy", {"app/a.rb": "redirect_to orders_path\nredirect_to order_path(1)\n"}),
    "a first page that moves into its namespace": ("config/routes.rb", RAILS % "  get '/admin' => 'a#b'\n", "  get '/admin' => 'a#b'\n", "  namespace :admin do\n    get '/' => 'c#b'\n  end\n", {"app/a.rb": "redirect_to admin_path\n"}),
    "a helper that is written": ("config/routes.rb", RAILS % "  resources :orders\n", "  resources :orders\n", "", {"app/h.rb": "module H\n  def orders_path\n    '/'\n  end\nend\n", "app/a.rb": "redirect_to orders_path\n"}),
    "a member of another object": ("config/routes.rb", RAILS % "  resources :orders\n", "  resources :orders\n", "", {"app/a.rb": "x = settings.orders_path\n"}),
    "an object with a name": ("src/router.js", VUE, '"checkout"', '"settle"', {"a.js": 'const menu = [{ name: "checkout", icon: 1 }];\n'}),
    "a component's name": ("src/V.js", 'export default {\n  name: "Checkout",\n};\n', "Checkout", "Settle", {"a.js": 'router.push({ name: "Checkout" });\n'}),
    "an element that another page gives": ("index.html", PAGE % "total", '<p id="total"></p>\n', "", {"b.html": PAGE % "total", "a.js": 'document.getElementById("total");\n'}),
    "an element that a script makes": ("index.html", PAGE % "total", '<p id="total"></p>\n', "", {"a.js": 'p.id = "total";\ndocument.getElementById("total");\n'}),
    "an element of a longer name": ("index.html", PAGE % "total", '<p id="total"></p>\n', "", {"a.js": 'document.querySelector("#total-sum");\n'}),
    "a word of a script": ("index.html", PAGE % "total", '<p id="total"></p>\n', "", {"a.js": 'show("total");\n'}),
    "a field that a script sends": ("templates/a.html", FORM % "order_sum", '<input name="order_sum">\n', "", {"a.js": 'form.append("order_sum", 1);\n', "app.py": 'X = request.form["order_sum"]\n'}),
    "a field of one word that nothing ties": ("templates/a.html", FORM % "amount", '<input name="amount">\n', "", {"app.py": 'X = request.form["amount"]\n'}),
    "a field that is another tag": ("templates/a.html", FORM % "amount", '<input name="amount">', '<select name="amount"></select>', {"app.py": SHOW + 'X = request.form["amount"]\n'}),
    "the name of a page": ("templates/a.html", '<meta name="viewport" content="x">\n<p>\n', '<meta name="viewport" content="x">\n', "", {"app.py": SHOW + 'X = request.form["viewport"]\n'}),
    "a variable that another sheet sets": ("src/_vars.scss", SASS % "brand", "$brand: red;\n", "", {"src/_theme.scss": SASS % "brand", "src/b.scss": '@import "theme";\np { color: $brand; }\n'}),
    "a parameter of a mixin": ("src/_vars.scss", SASS % "brand", "$brand: red;\n", "", {"src/b.scss": '@import "vars";\n@mixin row($brand) { color: $brand; }\n'}),
    "a variable of PHP": ("src/_vars.scss", SASS % "brand", "$brand: red;\n", "", {"src/b.php": "<?php\necho $brand;\n"}),
    "a property that another sheet sets": ("src/a.css", CSS, "  --brand: red;\n", "", {"src/c.css": CSS, "src/b.css": "p { color: var(--brand); }\n"}),
}  # fmt: skip


def _open(repository: Repository, before: dict[str, str], after: dict[str, str | None]) -> set[str]:
    found = find(repository.change(before, after))
    return {f"{use.path}:{use.line}" for use in coverage.obliged_uses((), found)}


@pytest.mark.parametrize("what", ASKED)
def test_a_name_that_its_file_no_longer_gives_is_missed_by_who_asks_for_it(repository: Repository, what: str) -> None:
    """Nothing resolves such a name before the program runs: the line is open, so that somebody reads it."""
    path, text, old, new, (reader, asking, line) = ASKED[what]
    assert old in text
    before = {path: text, reader: asking or text}
    assert _open(repository, before, {path: text.replace(old, new)}) == {f"{reader}:{line}"}


@pytest.mark.parametrize("what", SILENT)
def test_a_name_that_is_still_given_or_not_asked_for_is_no_loss(repository: Repository, what: str) -> None:
    """Another file gives it, or the word means something else there."""
    path, text, old, new, others = SILENT[what]
    assert old in text
    assert not _open(repository, {path: text, **others}, {path: text.replace(old, new)})
