(try_statement (except_clause) @caught (#match? @caught "^except[^\\n]*(AttributeError|NameError|TypeError)")) @handled
(with_statement (with_clause) @with (#match? @with "AttributeError|NameError|TypeError")) @handled
(try_statement (except_clause) @caught (#match? @caught "^except(\\s*:|[^\\n]*(ImportError|ModuleNotFoundError|\\bException\\b))")) @handled.import
(with_statement (with_clause) @with (#match? @with "ImportError|ModuleNotFoundError|\\bException\\b")) @handled.import
(if_statement condition: (_) @tested (#match? @tested "[\"']\\w+[\"']")) @handled.named
; settings for which Django itself has a value
((attribute object: (identifier) @settings attribute: (identifier) @handled) (#eq? @settings "settings")
  (#match? @handled "^(ABSOLUTE_URL|ADMINS|ALLOWED_HOSTS|APPEND_SLASH|AUTH|CACHE|CSRF_|DATA_UPLOAD|DATABASE|DATE|DEBUG|DECIMAL_|DEFAULT_|DISALLOWED_|EMAIL_|FILE_UPLOAD|FIRST_DAY|FIXTURE_|FORCE_SCRIPT|FORM|IGNORABLE_|INSTALLED_APPS|INTERNAL_IPS|LANGUAGE|LOCALE_|LOGGING|LOGIN_|LOGOUT_|MANAGERS|MEDIA_|MESSAGE_|MIDDLEWARE|MIGRATION_|MONTH_DAY|NUMBER_|PASSWORD_|PREPEND_|SECRET_KEY|SECURE_|SERVER_EMAIL|SESSION_|SHORT_DATE|SIGN|SILENCED_|STATIC|STORAGES|TEMPLATES|TEST_|THOUSAND_|TIME_|USE_|WSGI_|X_FRAME|YEAR_MONTH)"))
